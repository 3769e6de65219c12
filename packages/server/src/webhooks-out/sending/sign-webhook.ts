import { createHash, createHmac } from "node:crypto";
import { inSlices } from "#foundation";

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
export async function signWebhook(
  { id, sentAt, body }: SignedContent,
  keys: readonly string[],
): Promise<Record<string, string>> {
  const timestamp = String(Math.floor(sentAt.getTime() / 1000));
  const oldest = keys.at(-1);
  if (oldest === undefined) throw new Error("the environment has no signing key");
  const signatures = keys.map((key) => {
    const bytes = Buffer.from(key.replace(KEY_PREFIX, ""), "base64");
    return createHmac("sha256", bytes).update(`${id}.${timestamp}.`);
  });
  const hmac = createHmac("sha256", oldest);
  const hash = createHash("sha256").update(oldest);
  for await (const slice of inSlices(body)) {
    for (const each of [...signatures, hmac, hash]) each.update(slice);
  }
  return {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": signatures.map((each) => `v1,${each.digest("base64")}`).join(" "),
    "x-svc-hmac-sha256": hmac.digest("hex"),
    "x-svc-signature": hash.digest("hex"),
  };
}
