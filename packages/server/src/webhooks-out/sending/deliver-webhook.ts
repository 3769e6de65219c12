import { randomUUID } from "node:crypto";
import {
  type EnvironmentContext,
  reasonOf,
  type SystemContext,
  withEnvironment,
} from "#foundation";
import type { Span } from "#foundation/instruments";
import { defineCounter, defineHistogram } from "#foundation/instruments";
import { logMessage } from "#logs";
import { seal } from "#vault";
import { type Attempt, answerAad, decideNext, judgeReceiver } from "../delivery.ts";
import { areDeliveriesPrepared } from "../distributed/is-prepared.ts";
import { noteDue } from "../distributed/note-deliveries.ts";
import { findSender } from "./find-sender.ts";
import type { DeliveryOpener } from "./open-delivery.ts";
import type { OutcomeWriter } from "./outcome-writer.ts";
import { type PostedWebhook, postWebhook } from "./post-webhook.ts";
import { type ClaimedDelivery, giveBack } from "./store.ts";
import { webhookHeaders } from "./webhook-headers.ts";

const attempts = defineCounter({
  name: "svc_deliveries_total",
  help: "Attempts to deliver a webhook, by outcome: `waiting` will be retried.",
  unit: "{attempt}",
  labels: ["outcome"],
});

const durations = defineHistogram({
  name: "svc_delivery_duration_seconds",
  help: "Time that endpoints took to answer.",
  unit: "s",
  labels: [],
  buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30],
});

const noLabels = {} as const;

/**
 * Makes one attempt at a claimed delivery and stores what comes next. Resolves to the milliseconds until the
 * receiver answered; undefined when it did not.
 */
export async function deliverWebhook(
  ctx: SystemContext,
  delivery: ClaimedDelivery,
  { writer, opener }: { writer: OutcomeWriter; opener: DeliveryOpener },
): Promise<number | undefined> {
  const { environmentId, id, createdAt, fence } = delivery;
  const startedAt = ctx.clock.now();
  const timer = performance.now();
  const trace = beginDelivery(ctx, delivery);
  const { attempt, answer, signed } = await attemptDelivery(
    { ...ctx, trace },
    delivery,
    opener,
  ).catch((error: unknown): SignedAttempt => {
    ctx.log.error("webhooks.attempt_failed", { delivery: id, reason: reasonOf(error) });
    const reason = "Something failed on our side.";
    return { attempt: { kind: "unsent", reason }, answer: Buffer.alloc(0), signed: undefined };
  });
  if (attempt.kind === "answered") trace.set({ "http.response.status_code": attempt.status });
  if (judgeReceiver(attempt) !== "received") trace.fail(attempt.kind);
  trace.end();
  // Cut off by our own stop, not by the receiver.
  if (attempt.kind !== "answered" && ctx.signal.aborted) {
    await giveBack(ctx.db, environmentId, { id, createdAt, fence });
    if (await areDeliveriesPrepared(ctx)) await noteDue(ctx, environmentId, ctx.clock.now());
    return undefined;
  }
  const durationMs = performance.now() - timer;
  const now = ctx.clock.now();
  const attempts = delivery.attempts + 1;
  const next = decideNext(attempt, attempts, now);
  const attemptId = randomUUID();
  const aad = answerAad(environmentId, attemptId);
  const isStored = await writer.write(ctx, {
    receiver: judgeReceiver(attempt),
    outcome: {
      id,
      createdAt,
      environmentId,
      receiverId: delivery.receiverId,
      fence,
      attempts,
      state: next.state,
      nextAttemptAt: next.state === "waiting" ? next.nextAttemptAt : null,
      status: attempt.kind === "answered" ? attempt.status : null,
      error: attempt.kind === "answered" ? null : attempt.reason,
      endedAt: next.state === "waiting" ? null : now,
      attemptId,
      answer: answer.byteLength === 0 ? null : await seal(ctx, aad, answer),
      startedAt,
      durationMs: Math.round(durationMs),
      signedAt: signed === undefined ? null : Number(signed["webhook-timestamp"]),
      signature: signed?.["webhook-signature"] ?? null,
    },
  });
  if (isStored) countAttempt(attempt, next.state, durationMs);
  else ctx.log.warn("webhooks.delivery_taken_over", { delivery: id });
  return attempt.kind === "answered" ? durationMs : undefined;
}

function beginDelivery(
  { trace }: SystemContext,
  { traceparent, attempts, environmentId }: ClaimedDelivery,
): Span {
  return trace.child("webhook delivery", {
    kind: "client",
    parent: traceparent ?? undefined,
    attributes: { "svc.environment.id": environmentId, "svc.attempt": attempts + 1 },
  });
}

interface SignedAttempt extends PostedWebhook {
  /** The headers it was sent with; undefined where nothing was sent. */
  readonly signed: Readonly<Record<string, string>> | undefined;
}

async function attemptDelivery(
  system: SystemContext,
  delivery: ClaimedDelivery,
  opener: DeliveryOpener,
): Promise<SignedAttempt> {
  const { id, environmentId, url } = delivery;
  const sender = await findSender(system, environmentId);
  const ctx = withEnvironment(system, sender.environment, { kind: "system" });
  return await opener.with(ctx, delivery, async (opened) => {
    const headers = await webhookHeaders(ctx, { id, sender, ...opened });
    const startedAt = performance.now();
    const { signal } = ctx;
    const posted = await postWebhook(ctx, { url, headers, body: opened.body, signal });
    logAttempt(ctx, delivery, posted.attempt, performance.now() - startedAt);
    return { ...posted, signed: headers };
  });
}

function logAttempt(
  ctx: EnvironmentContext,
  { operationId, url, attempts }: ClaimedDelivery,
  attempt: Attempt,
  durationMs: number,
): void {
  if (operationId === null) return;
  const isAnswered = attempt.kind === "answered";
  const isReceived = judgeReceiver(attempt) === "received";
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

function countAttempt(
  attempt: Attempt,
  outcome: "waiting" | "delivered" | "failed",
  durationMs: number,
): void {
  attempts.add(1, { outcome });
  if (attempt.kind === "answered") durations.record(durationMs / 1000, noLabels);
}
