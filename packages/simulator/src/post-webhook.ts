import { createHmac } from "node:crypto";

/** Header that holds `sha256=` and the hex HMAC-SHA256 of the body under the webhook secret. */
export const webhookSignatureHeader = "x-harbor-signature";

export interface WebhookEvent {
  readonly type: string;
  readonly data: unknown;
}

const timeoutMs = 10_000;

/**
 * Posts one signed event to `url` and gives the answer's status; rejects when nobody answers
 * within 10 s. It is sent once: the provider does not retry.
 */
export async function postWebhook(
  input: { url: string; id: string; event: WebhookEvent; secret: string },
  closing: AbortSignal,
): Promise<{ id: string; status: number }> {
  const body = JSON.stringify({ id: input.id, type: input.event.type, data: input.event.data });
  const signature = createHmac("sha256", input.secret).update(body).digest("hex");
  const response = await fetch(input.url, {
    method: "POST",
    redirect: "manual",
    headers: {
      "content-type": "application/json",
      [webhookSignatureHeader]: `sha256=${signature}`,
    },
    body,
    signal: AbortSignal.any([closing, AbortSignal.timeout(timeoutMs)]),
  });
  await response.body?.cancel();
  return { id: input.id, status: response.status };
}
