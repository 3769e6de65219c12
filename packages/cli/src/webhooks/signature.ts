import { createHash, createHmac, timingSafeEqual } from "node:crypto";

const TOLERANCE_S = 5 * 60;

export interface SignedRequest {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** The headers by which the server proves that a body is its own (docs/webhooks.md). */
export function signBody(
  { id, sentAt, body }: { id: string; sentAt: Date; body: Buffer },
  key: string,
): Record<string, string> {
  const timestamp = String(Math.floor(sentAt.getTime() / 1000));
  return {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": `v1,${signatureOf({ id, timestamp, body }, key).toString("base64")}`,
    "x-svc-hmac-sha256": createHmac("sha256", key).update(body).digest("hex"),
    "x-svc-signature": createHash("sha256").update(key).update(body).digest("hex"),
  };
}

/** Undefined when one of the keys signed the request within five minutes; else what is wrong with it. */
export function findFault(
  { headers, body }: SignedRequest,
  keys: readonly string[],
  now: Date,
): string | undefined {
  const [id, timestamp, signatures] = ["id", "timestamp", "signature"].map(
    (part) => [headers[`webhook-${part}`]].flat()[0] ?? "",
  );
  if (!id || !timestamp || !signatures) return "the headers webhook-* are missing";
  const age = Math.abs(now.getTime() / 1000 - Number(timestamp));
  if (!(age <= TOLERANCE_S)) return `it was signed at ${timestamp}, not within five minutes`;
  const sent = signatures
    .split(" ")
    .filter((each) => each.startsWith("v1,"))
    .map((each) => Buffer.from(each.slice(3), "base64"));
  const isSigned = keys.some((key) => {
    const wanted = signatureOf({ id, timestamp, body }, key);
    return sent.some((each) => each.length === wanted.length && timingSafeEqual(each, wanted));
  });
  return isSigned ? undefined : "no signature fits the signing key";
}

/** Standard Webhooks: HMAC-SHA256 over `id.timestamp.body` with the key's bytes. */
function signatureOf(
  { id, timestamp, body }: { id: string; timestamp: string; body: Buffer },
  key: string,
): Buffer {
  const bytes = Buffer.from(key.replace(/^whsec_/, ""), "base64");
  return createHmac("sha256", bytes).update(`${id}.${timestamp}.`).update(body).digest();
}
