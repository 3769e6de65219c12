import { type EnvironmentContext, version } from "#foundation";
import { soleSpelling, spellingsOf } from "#gateway";
import type { Sender } from "./find-sender.ts";
import type { Headers, OpenedDelivery } from "./open-delivery.ts";
import { signWebhook } from "./sign-webhook.ts";

const USER_AGENT = `svc/${version} (webhooks)`;

/** Everything that a webhook is sent with: what goes along with it, its type, and the signatures of its body. */
export async function webhookHeaders(
  ctx: EnvironmentContext,
  sent: { id: string; sender: Sender } & OpenedDelivery,
): Promise<Record<string, string>> {
  const { id, along, sender, body } = sent;
  const content = { id: `msg_${id}`, sentAt: ctx.clock.now(), body };
  const keys = sender.keys.map(({ key }) => key.reveal());
  return {
    ...sentAlong(along),
    "content-type": "application/json",
    "user-agent": soleSpelling(ctx, USER_AGENT),
    ...inEachSpelling(ctx, await signWebhook(content, keys)),
  };
}

function inEachSpelling(ctx: EnvironmentContext, headers: Headers): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      spellingsOf(ctx, name).map((spelling) => [spelling, value]),
    ),
  );
}

/** What says where a request goes and where it ends is this server's to say (RFC 9110, 7.2 and 7.6.1). */
const OF_THE_CONNECTION = new Set([
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

function sentAlong(headers: Headers): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers)
      .map(([name, value]) => [name.toLowerCase(), value] as const)
      .filter(([name]) => !OF_THE_CONNECTION.has(name)),
  );
}
