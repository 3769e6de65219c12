import type { WebhookConnection } from "#connections";
import { type EnvironmentContext, inSlices, type OperationId } from "#foundation";
import { WrittenJson } from "#foundation/json";
import { openSendToEach, sendEach, sendToEach } from "#webhooks-out";
import type { InboundRequest } from "../match/router.ts";
import { payloadOf, type ReadEvent } from "../reading/jobs.ts";
import { toForwardedHeaders } from "../receive/forwarded-headers.ts";
import type { Handling, Shared } from "./handling.ts";

export interface Forwarding extends Handling {
  readonly shared: Shared;
  readonly request: InboundRequest;
  readonly operationId: OperationId;
}

export interface MatchedEvent {
  readonly event: ReadEvent;
  readonly connections: readonly WebhookConnection[];
}

/** One forward of each event for each of its connections, or one without any. */
export async function forwardEvents(
  ctx: EnvironmentContext,
  forwarding: Forwarding,
  events: readonly MatchedEvent[],
): Promise<void> {
  const { integration, shared, operationId } = forwarding;
  if (!integration.forwardWebhooks) return;
  const hasUrl = await shared.hasUrl(ctx);
  const wanted = events.filter(
    ({ connections }) =>
      hasUrl || connections.some(({ webhookUrlOverride }) => Boolean(webhookUrlOverride)),
  );
  if (wanted.length === 0) return;
  const headers = headersOf(ctx, forwarding);
  const bodyOf = await envelopeOf(forwarding, wanted.length);
  const single = [];
  for (const { event, connections } of wanted) {
    const content = { type: "forward" as const, body: bodyOf(event), headers, operationId };
    const targets = connections.map(toTarget);
    const [only] = targets;
    if (targets.length > 1) await sendToEach(ctx, content, targets);
    else if (only === undefined) single.push(content);
    else {
      const body = { ...content.body, connectionId: only.connectionId };
      single.push({ ...content, ...only, body });
    }
  }
  await sendEach(ctx, single);
}

/** Forwards an event of all connections, of which the caller has a page at a time; undefined where none is wanted. */
export async function openForward(
  ctx: EnvironmentContext,
  forwarding: Forwarding,
  { event, events }: { readonly event: ReadEvent; readonly events: number },
): Promise<((connections: readonly WebhookConnection[]) => Promise<void>) | undefined> {
  const { integration, operationId } = forwarding;
  if (!integration.forwardWebhooks) return undefined;
  const headers = headersOf(ctx, forwarding);
  const bodyOf = await envelopeOf(forwarding, events);
  const content = { type: "forward" as const, body: bodyOf(event), headers, operationId };
  const send = await openSendToEach(ctx, content);
  return async (connections) => await send(connections.map(toTarget));
}

function toTarget({ uuid, connectionId, webhookUrlOverride }: WebhookConnection) {
  return { connection: uuid, connectionId, overrideUrl: webhookUrlOverride };
}

function headersOf(ctx: EnvironmentContext, { webhook, request }: Forwarding) {
  return {
    ...toForwardedHeaders(request.headers, ctx.settings.compatPrefix),
    "x-svc-webhook-id": webhook.id,
    "x-svc-webhook-verified": webhook.isVerified ? "signature" : "none",
  };
}

// The bytes as received go with each event: of a thousand in a large request they would be gigabytes.
const MAX_RAW_BYTES = 32 * 1024 * 1024;

async function envelopeOf({ integration, request }: Forwarding, count: number) {
  const { provider, uniqueKey, settings } = integration;
  const isKept = settings.forward_raw === true && request.body.byteLength * count <= MAX_RAW_BYTES;
  const raw = isKept ? new WrittenJson(await toBase64Json(request.body)) : null;
  return (event: ReadEvent) => ({
    from: provider,
    type: "forward",
    providerConfigKey: uniqueKey,
    payload: payloadOf(event),
    ...(raw !== null && { raw }),
  });
}

/** A text of JSON; base64 needs no escapes. */
async function toBase64Json(bytes: Buffer): Promise<Buffer> {
  const text = Buffer.allocUnsafe(Math.ceil(bytes.byteLength / 3) * 4 + 2);
  let at = text.write('"', 0);
  for await (const slice of inSlices(bytes)) {
    at += text.write(
      Buffer.from(slice.buffer, slice.byteOffset, slice.byteLength).toString("base64"),
      at,
      "latin1",
    );
  }
  text.write('"', at);
  return text;
}
