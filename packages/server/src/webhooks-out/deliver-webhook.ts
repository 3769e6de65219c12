import { getEnvironment, listSigningKeys } from "#environments";
import { soleSpelling, spellingsOf } from "#gateway";
import { logMessage } from "#logs";
import {
  type EnvironmentContext,
  type InstallationContext,
  messageOf,
  withEnvironment,
} from "#platform";
import { open } from "#vault";
import { type Attempt, bodyPlace, decideNext } from "./delivery.ts";
import { postWebhook } from "./post-webhook.ts";
import { signWebhook } from "./sign-webhook.ts";
import { type ClaimedDelivery, giveBack, storeOutcome } from "./store.ts";

const USER_AGENT = "svc/0.1.0 (webhooks)";

/** Makes one attempt at a claimed delivery and stores what comes next. */
export async function deliverWebhook(
  ctx: InstallationContext,
  delivery: ClaimedDelivery,
): Promise<void> {
  const { environmentId, id, fence } = delivery;
  const attempt = await attemptDelivery(ctx, delivery).catch((error: unknown): Attempt => {
    ctx.log.error("webhooks.attempt_failed", { delivery: id, reason: messageOf(error) });
    return { kind: "failed", reason: "Something failed on our side." };
  });
  // Cut off by our own stop, not by the receiver.
  if (attempt.kind === "failed" && ctx.signal.aborted) {
    await giveBack(ctx.db, environmentId, { id, fence });
    return;
  }
  const now = ctx.clock.now();
  const attempts = delivery.attempts + 1;
  const next = decideNext(attempt, attempts, now);
  const isStored = await storeOutcome(ctx.db, environmentId, {
    id,
    fence,
    attempts,
    state: next.state,
    nextAttemptAt: next.state === "waiting" ? next.nextAttemptAt : null,
    lastStatus: attempt.kind === "answered" ? attempt.status : null,
    lastError: attempt.kind === "failed" ? attempt.reason : null,
    deliveredAt: next.state === "delivered" ? now : null,
  });
  if (!isStored) ctx.log.warn("webhooks.delivery_taken_over", { delivery: id });
}

async function attemptDelivery(
  installation: InstallationContext,
  delivery: ClaimedDelivery,
): Promise<Attempt> {
  const { id, environmentId, url } = delivery;
  const environment = await getEnvironment(installation, environmentId);
  const ctx = withEnvironment(installation, environment, { kind: "system" });
  const body = await open(ctx, bodyPlace(environmentId, id), delivery.body);
  const keys = await listSigningKeys(ctx);
  const content = { id: `msg_${id}`, sentAt: ctx.clock.now(), body };
  const headers = {
    ...lowerCaseNames(delivery.headers),
    "content-type": "application/json",
    "user-agent": soleSpelling(ctx, USER_AGENT),
    ...inEachSpelling(
      ctx,
      signWebhook(
        content,
        keys.map(({ key }) => key.reveal()),
      ),
    ),
  };
  const startedAt = performance.now();
  const attempt = await postWebhook(ctx, { url, headers, body, signal: ctx.signal });
  logAttempt(ctx, delivery, attempt, performance.now() - startedAt);
  return attempt;
}

function inEachSpelling(
  ctx: EnvironmentContext,
  headers: Readonly<Record<string, string>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      spellingsOf(ctx, name).map((spelling) => [spelling, value]),
    ),
  );
}

function lowerCaseNames(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
}

function logAttempt(
  ctx: EnvironmentContext,
  { operationId, url, attempts }: ClaimedDelivery,
  attempt: Attempt,
  durationMs: number,
): void {
  if (operationId === null) return;
  const isAnswered = attempt.kind === "answered";
  const isReceived = isAnswered && attempt.status >= 200 && attempt.status < 300;
  // The query may hold the receiver's own token.
  const { origin, pathname } = new URL(url);
  logMessage(ctx, {
    operationId,
    level: isReceived ? "info" : "warn",
    source: "internal",
    type: "http",
    context: "webhook",
    message: isAnswered
      ? `Webhook attempt ${attempts + 1}: answered ${attempt.status}`
      : `Webhook attempt ${attempts + 1}: ${attempt.reason}`,
    request: { method: "POST", url: origin + pathname },
    response: isAnswered ? { code: attempt.status } : undefined,
    durationMs,
  });
}
