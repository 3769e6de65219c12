import { createHmac } from "node:crypto";
import * as z from "zod";
import type { VendorState } from "./vendor-state.ts";
import { type Reply, replyJson } from "./write-answer.ts";

const wanted = z.strictObject({
  /** The platform's webhook address of the integration. */
  url: z.url({ protocol: /^https?$/ }),
  event: z.record(z.string(), z.unknown()),
  /** The integration's webhook secret; the sample client's where the entry signs with that. */
  secret: z.string().min(1).optional(),
});

const PATIENCE_MS = 10_000;

/** Sends an event, signed as the entry's data say; entries with a router in code are not signed here. */
export async function sendVendorWebhook(
  { provider, samples }: VendorState,
  given: unknown,
): Promise<Reply> {
  const parsed = wanted.safeParse(given);
  if (!parsed.success) {
    return replyJson({ error: "invalid_webhook", message: z.prettifyError(parsed.error) }, 400);
  }
  const { url, event, secret } = parsed.data;
  const body = JSON.stringify(event);
  const key = secret ?? samples.client.secret;
  const headers = sign(provider.webhooks?.hmac, { url, body, key });
  try {
    const answer = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body,
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    const signed = Object.keys(headers).length > 0;
    return replyJson({ status: answer.status, signed, body: await answer.text() });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return replyJson({ error: "unreachable", message }, 502);
  }
}

type Hmac = NonNullable<NonNullable<VendorState["provider"]["webhooks"]>["hmac"]>;

function sign(
  hmac: Hmac | undefined,
  { url, body, key }: { url: string; body: string; key: string },
): Record<string, string> {
  if (hmac === undefined) return {};
  const timestamp = String(Math.floor(Date.now() / 1000));
  const values: Readonly<Record<string, string>> = { body, url, method: "POST", timestamp };
  const text = (hmac.signed ?? "{body}").replaceAll(
    /\{(body|url|method|timestamp)\}/g,
    (_whole, name: string) => values[name] ?? "",
  );
  const digest = createHmac(hmac.algorithm, key).update(text).digest(hmac.encoding);
  return {
    [hmac.header]: `${hmac.prefix ?? ""}${digest}`,
    ...(hmac.timestamp_header === undefined ? {} : { [hmac.timestamp_header]: timestamp }),
  };
}
