import type { inboxRoutes, RouteOutput } from "@jackfield/contract";
import type { ListedWebhook } from "../listing/store.ts";
import type { InboundRequest } from "../match/router.ts";

type WebhookBody = RouteOutput<typeof inboxRoutes.replayInboundWebhook>["data"];

export function presentWebhook(webhook: ListedWebhook): WebhookBody {
  const { id, uniqueKey, receivedAt, isVerified, state, types, bodyBytes, attempts } = webhook;
  return {
    id,
    provider_config_key: uniqueKey,
    received_at: receivedAt.toISOString(),
    verified: isVerified ? "signature" : "none",
    state,
    types: [...types],
    size: bodyBytes,
    has_request: webhook.hasRequest,
    attempts,
    error: webhook.error,
    handled_at: webhook.handledAt?.toISOString() ?? null,
    operation_id: webhook.operationId,
  };
}

const CREDENTIALS = new Set(["authorization", "cookie", "proxy-authorization"]);

/** With the head of the request as it came, but for what lets its reader in elsewhere. */
export function presentWithHead(webhook: ListedWebhook, { method, url, headers }: InboundRequest) {
  const shown = Object.entries(headers).filter(([name]) => !CREDENTIALS.has(name));
  return { ...presentWebhook(webhook), method, url, headers: Object.fromEntries(shown) };
}

/** So much of a body is shown to people; a key can read all of it. */
const MOST_SHOWN_BYTES = 256 * 1024;

export function presentBody({ body }: InboundRequest) {
  const bytes = Buffer.from(
    body.buffer,
    body.byteOffset,
    Math.min(body.byteLength, MOST_SHOWN_BYTES),
  );
  return {
    base64: bytes.toString("base64"),
    size: body.byteLength,
    is_cut: body.byteLength > MOST_SHOWN_BYTES,
  };
}
