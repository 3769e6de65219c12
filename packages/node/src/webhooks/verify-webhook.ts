import { JackfieldError } from "../jackfield-error.ts";
import type { WebhookEvent } from "./webhook-events.ts";

const KEY_PREFIX = "whsec_";
const TOLERANCE_SECONDS = 5 * 60;

export type WebhookHeaders =
  | Headers
  | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface WebhookOptions {
  /** `whsec_…` of the environment; several while one replaces another. */
  readonly signingKey: string | readonly string[];
  /** How far its time may be from now, in seconds; 300 unless given. */
  readonly toleranceSeconds?: number;
  /**
   * Accepts a webhook that has `x-svc-hmac-sha256` only. That signature covers no time: anyone who has seen such a webhook
   * can send it again for ever.
   */
  readonly allowWithoutTimestamp?: boolean;
}

export interface ReceivedWebhook extends WebhookOptions {
  /** As received: a body that was parsed and serialized again has another signature. */
  readonly body: string | Uint8Array | ArrayBuffer;
  readonly headers: WebhookHeaders;
}

/**
 * The event of a webhook that the server sent, by Standard Webhooks. Throws JackfieldError with one of the codes
 * `webhook_body_parsed`, `webhook_header_missing`, `webhook_timestamp_invalid`, `webhook_key_invalid`,
 * `webhook_signature_mismatch`, `webhook_body_invalid`.
 */
export async function verifyWebhook(received: ReceivedWebhook): Promise<WebhookEvent> {
  const body = toBytes(received.body);
  const { headers, toleranceSeconds = TOLERANCE_SECONDS } = received;
  const keys = [received.signingKey].flat();
  const id = headerOf(headers, "webhook-id");
  const timestamp = headerOf(headers, "webhook-timestamp");
  const signatures = headerOf(headers, "webhook-signature");
  if (id !== undefined && timestamp !== undefined && signatures !== undefined) {
    requireRecent(timestamp, toleranceSeconds);
    const content = join(`${id}.${timestamp}.`, body);
    await requireSigned(keys.map(decodeKey), { content, signatures: readSignatures(signatures) });
    return parse(body);
  }
  await requireOlderSignature(received, { body, keys });
  return parse(body);
}

/** `x-svc-hmac-sha256`, made with the whole text of the key. */
async function requireOlderSignature(
  { headers, allowWithoutTimestamp = false }: ReceivedWebhook,
  { body, keys }: { body: Bytes; keys: readonly string[] },
): Promise<void> {
  const missing = ["webhook-id", "webhook-timestamp", "webhook-signature"].filter(
    (name) => headerOf(headers, name) === undefined,
  );
  const text = headerOf(headers, "x-svc-hmac-sha256");
  if (!allowWithoutTimestamp || text === undefined) {
    const hint =
      text === undefined
        ? "Pass all headers of the request."
        : "Its x-svc-hmac-sha256 covers no time, so anyone who has seen the webhook could send it again; `allowWithoutTimestamp` accepts it all the same.";
    throw fault("webhook_header_missing", `The request has no ${missing.join(", ")}. ${hint}`);
  }
  const given = decodeHex(text);
  await requireSigned(
    keys.map((key) => new TextEncoder().encode(key)),
    { content: body, signatures: given === undefined ? [] : [given] },
  );
}

type Bytes = Uint8Array<ArrayBuffer>;

function toBytes(body: unknown): Bytes {
  if (typeof body === "string") return new TextEncoder().encode(body);
  if (body instanceof ArrayBuffer) return new Uint8Array(body);
  if (ArrayBuffer.isView(body)) {
    return Uint8Array.from(new Uint8Array(body.buffer, body.byteOffset, body.byteLength));
  }
  throw fault(
    "webhook_body_parsed",
    `The body is ${body === null ? "null" : `of type ${typeof body}`}, not text or bytes: pass it as received, before JSON is parsed (Express: express.raw({ type: "application/json" })).`,
  );
}

function requireRecent(timestamp: string, toleranceSeconds: number): void {
  const age = Date.now() / 1000 - Number(timestamp);
  if (Math.abs(age) <= toleranceSeconds) return;
  const when = Number.isNaN(age)
    ? `is not a time: ${timestamp.slice(0, 32)}`
    : `is ${Math.round(Math.abs(age))} s ${age > 0 ? "old" : "ahead"}, more than ${toleranceSeconds} s: it is a repetition, or a clock is wrong`;
  throw fault("webhook_timestamp_invalid", `webhook-timestamp ${when}.`);
}

function decodeKey(key: string): Bytes {
  const bytes = decodeBase64(key.startsWith(KEY_PREFIX) ? key.slice(KEY_PREFIX.length) : key);
  if (bytes !== undefined && bytes.byteLength > 0) return bytes;
  throw fault(
    "webhook_key_invalid",
    "The signing key is not one of Jackfield: copy `signing_key` (whsec_…) of GET /environment/webhooks.",
  );
}

function readSignatures(header: string): Bytes[] {
  return header.split(" ").flatMap((signature) => {
    const [version, text = ""] = signature.split(",");
    const bytes = version === "v1" ? decodeBase64(text) : undefined;
    return bytes === undefined ? [] : [bytes];
  });
}

async function requireSigned(
  keys: readonly Bytes[],
  { content, signatures }: { content: Bytes; signatures: readonly Bytes[] },
): Promise<void> {
  for (const key of keys) if (await isSigned(key, content, signatures)) return;
  throw fault(
    "webhook_signature_mismatch",
    "No signature fits: the signing key is of another environment or was rotated, or the body is not as it was received (parsed, re-encoded or cut).",
  );
}

async function isSigned(
  key: Bytes,
  content: Bytes,
  signatures: readonly Bytes[],
): Promise<boolean> {
  if (key.byteLength === 0) return false;
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const hmac = await crypto.subtle.importKey("raw", key, algorithm, false, ["verify"]);
  const results = await Promise.all(
    signatures.map(
      async (signature) => await crypto.subtle.verify("HMAC", hmac, signature, content),
    ),
  );
  return results.includes(true);
}

function join(head: string, body: Bytes): Bytes {
  const start = new TextEncoder().encode(head);
  const whole = new Uint8Array(start.byteLength + body.byteLength);
  whole.set(start);
  whole.set(body, start.byteLength);
  return whole;
}

function parse(body: Bytes): WebhookEvent {
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch (cause) {
    throw fault("webhook_body_invalid", "The body is signed, but it is not JSON.", cause);
  }
}

function headerOf(headers: WebhookHeaders, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const found = Object.entries(headers).find(([given]) => given.toLowerCase() === name)?.[1];
  return typeof found === "string" ? found : found?.[0];
}

function decodeBase64(text: string): Bytes | undefined {
  try {
    return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function decodeHex(text: string): Bytes | undefined {
  if (!/^([0-9a-f]{2}){32}$/i.test(text)) return undefined;
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

function fault(code: string, message: string, cause?: unknown): JackfieldError {
  return new JackfieldError({ code, message, cause });
}
