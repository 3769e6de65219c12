const KEY_PREFIX = "whsec_";
const TOLERANCE_SECONDS = 5 * 60;

export interface ReceivedWebhook {
  /** As received: parsed and printed again it has another signature. */
  readonly body: string;
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly signingKey: string;
  readonly now: Date;
}

/**
 * Whether the server sent this body: by Standard Webhooks where those headers are there, at most five minutes
 * old, else by `x-svc-hmac-sha256`.
 */
export async function verifyWebhook({
  body,
  headers,
  signingKey,
  now,
}: ReceivedWebhook): Promise<boolean> {
  const id = headerOf(headers, "webhook-id");
  const timestamp = headerOf(headers, "webhook-timestamp");
  const signatures = headerOf(headers, "webhook-signature");
  if (id !== undefined && timestamp !== undefined && signatures !== undefined) {
    const age = Math.abs(now.getTime() / 1000 - Number(timestamp));
    if (!(age <= TOLERANCE_SECONDS)) return false;
    const key = decodeBase64(signingKey.replace(KEY_PREFIX, ""));
    if (key === undefined) return false;
    const given = signatures.split(" ").flatMap((signature) => {
      const [version, text = ""] = signature.split(",");
      const bytes = version === "v1" ? decodeBase64(text) : undefined;
      return bytes === undefined ? [] : [bytes];
    });
    return await isSigned(key, `${id}.${timestamp}.${body}`, given);
  }
  const hmac = decodeHex(headerOf(headers, "x-svc-hmac-sha256") ?? "");
  if (hmac === undefined) return false;
  return await isSigned(new TextEncoder().encode(signingKey), body, [hmac]);
}

async function isSigned(
  key: Uint8Array<ArrayBuffer>,
  content: string,
  signatures: readonly Uint8Array<ArrayBuffer>[],
): Promise<boolean> {
  if (key.byteLength === 0) return false;
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const hmac = await crypto.subtle.importKey("raw", key, algorithm, false, ["verify"]);
  const bytes = new TextEncoder().encode(content);
  const results = await Promise.all(
    signatures.map(async (signature) => await crypto.subtle.verify("HMAC", hmac, signature, bytes)),
  );
  return results.includes(true);
}

function headerOf(headers: ReceivedWebhook["headers"], name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const found = Object.entries(headers).find(([given]) => given.toLowerCase() === name)?.[1];
  return typeof found === "string" ? found : found?.[0];
}

function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function decodeHex(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^([0-9a-f]{2}){32}$/i.test(text)) return undefined;
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}
