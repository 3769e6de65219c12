import { createHash, createHmac } from "node:crypto";

export interface SignedContent {
  readonly id: string;
  readonly sentAt: Date;
  readonly body: Buffer;
}

const KEY_PREFIX = "whsec_";

/**
 * Headers that prove who sent the body. `webhook-*` follow Standard Webhooks, one signature for
 * each key. The other two hold one value: while an old key is still valid, that of the old key.
 */
export function signWebhook(
  { id, sentAt, body }: SignedContent,
  keys: readonly string[],
): Record<string, string> {
  const timestamp = String(Math.floor(sentAt.getTime() / 1000));
  const content = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), body]);
  const signatures = keys.map((key) => {
    const bytes = Buffer.from(key.replace(KEY_PREFIX, ""), "base64");
    return `v1,${createHmac("sha256", bytes).update(content).digest("base64")}`;
  });
  const oldest = keys.at(-1);
  if (oldest === undefined) throw new Error("the environment has no signing key");
  return {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": signatures.join(" "),
    "x-svc-hmac-sha256": createHmac("sha256", oldest).update(body).digest("hex"),
    "x-svc-signature": createHash("sha256").update(oldest).update(body).digest("hex"),
  };
}
