import { AppError, type InstallationContext } from "#platform";
import { toUpstreamError } from "#platform/egress";
import { type Attempt, SEND_TIMEOUT_MS } from "./delivery.ts";

// The answer's body is of no interest; past this the connection is not worth keeping.
const MAX_ANSWER_BYTES = 64 * 1024;

export interface WebhookPost {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly signal: AbortSignal;
}

/** Sends once; resolves with the answer's status, whatever it is, or why there was none. */
export async function postWebhook(
  ctx: Pick<InstallationContext, "http">,
  { url, headers, body, signal }: WebhookPost,
): Promise<Attempt> {
  const target = new URL(url);
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(SEND_TIMEOUT_MS)]);
  try {
    await ctx.http.requireAllowedUrl(url);
    const status = await new Promise<number>((resolve, reject) => {
      let answered: number | undefined;
      let size = 0;
      // A status that came before the connection broke, or the time was up, is an answer.
      const end = () => answered !== undefined && resolve(answered);
      const giveUp = () => {
        end();
        reject(new AppError("upstream_timeout", noAnswer(target)));
      };
      deadline.addEventListener("abort", giveUp, { once: true });
      if (deadline.aborted) giveUp();
      ctx.http.dispatch(
        {
          origin: target.origin,
          path: target.pathname + target.search,
          method: "POST",
          headers,
          body,
        },
        {
          onRequestStart(controller) {
            const abort = () => controller.abort(new Error("given up"));
            deadline.addEventListener("abort", abort, { once: true });
            if (deadline.aborted) abort();
          },
          onResponseStart(_controller, code) {
            if (code >= 200) answered = code;
          },
          onResponseData(controller, chunk) {
            size += chunk.byteLength;
            if (size <= MAX_ANSWER_BYTES) return;
            end();
            controller.abort(new Error("the answer is long enough"));
          },
          onResponseEnd: end,
          onResponseError(_controller, error) {
            end();
            reject(toUpstreamError(error, target.hostname));
          },
        },
      );
    });
    return { kind: "answered", status };
  } catch (error) {
    return { kind: "failed", reason: toUpstreamError(error, target.hostname).message };
  }
}

function noAnswer({ hostname }: URL): string {
  return `${hostname} did not answer within ${SEND_TIMEOUT_MS} ms.`;
}
