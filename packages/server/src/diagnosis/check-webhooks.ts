import type { Integration } from "#integrations";
import type { EnvironmentContext } from "#platform";
import { describeInbox } from "#webhooks-in";
import { findFailingReceivers } from "#webhooks-out";
import type { Finding } from "./check.ts";

/** Whether webhooks of the provider arrive, as far as any are expected. */
export async function checkInbox(
  ctx: EnvironmentContext,
  integration: Integration,
): Promise<Finding> {
  const { isRouted, last } = await describeInbox(ctx, integration);
  if (last === undefined) {
    const message = "No webhook of this integration has arrived within the time they are kept.";
    const nextStep = `If you use webhooks, register the integration's \`webhook_url\` at the provider: \`GET /integrations/${integration.uniqueKey}?include=webhook\`.`;
    return isRouted
      ? { check: "webhook_in", status: "skipped", message, nextStep }
      : { check: "webhook_in", status: "skipped", message };
  }
  const at = last.receivedAt.toISOString();
  if (last.state === "failed") {
    return {
      check: "webhook_in",
      status: "warning",
      message: `The last webhook, of ${at}, could not be handled: ${last.error ?? "no reason was noted"}.`,
      nextStep: `Read it with \`GET /webhooks/inbox/${last.id}\`, and handle it again with \`POST /webhooks/inbox/${last.id}/replay\`.`,
    };
  }
  return {
    check: "webhook_in",
    status: "ok",
    message: `The last webhook arrived at ${at}.`,
  };
}

/** Whether the environment's endpoints, or the connection's own, accept webhooks. */
export async function checkReceivers(
  ctx: EnvironmentContext,
  overrideUrl: string | undefined,
): Promise<Finding> {
  const failing = await findFailingReceivers(ctx);
  const own = failing.filter(({ url }) => overrideUrl === undefined || url === overrideUrl);
  const [first] = own;
  if (first === undefined) {
    return { check: "webhook_out", status: "ok", message: "None of your endpoints fails." };
  }
  const since = first.failingSince.toISOString();
  const isHeld = first.disabledAt !== null;
  return {
    check: "webhook_out",
    status: "warning",
    message: `${first.url} has accepted no webhook since ${since}${isHeld ? "; its webhooks are held" : ""}.`,
    nextStep: isHeld
      ? "Correct the endpoint, then call `POST /webhooks/receivers/enable`."
      : "Read what it answered with `GET /webhooks/deliveries?state=waiting`.",
  };
}
