import { AppError, type SystemContext } from "#foundation";
import { toUpstreamError } from "#foundation/egress";
import { type Attempt, SEND_TIMEOUT_MS } from "../delivery.ts";

/** So much of an answer is kept for the delivery log. */
const RECORDED_ANSWER_BYTES = 1024;
// Past this the connection is not worth keeping.
const MAX_ANSWER_BYTES = 64 * 1024;

export interface WebhookPost {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly signal: AbortSignal;
}

export interface PostedWebhook {
  readonly attempt: Attempt;
  /** The first KB. */
  readonly answer: Buffer;
}

/** Sends once; resolves with the status of any answer, or with why there was none. */
export async function postWebhook(
  ctx: Pick<SystemContext, "http" | "clock">,
  { url, headers, body, signal }: WebhookPost,
): Promise<PostedWebhook> {
  const target = new URL(url);
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(SEND_TIMEOUT_MS)]);
  const kept: Buffer[] = [];
  const answer = () => Buffer.concat(kept).subarray(0, RECORDED_ANSWER_BYTES);
  try {
    await ctx.http.requireAllowedUrl(url);
    const head = await new Promise<{ status: number; retryAfter: string | undefined }>(
      (resolve, reject) => {
        let answered: { status: number; retryAfter: string | undefined } | undefined;
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
            onResponseStart(_controller, status, fields) {
              const retryAfter = fields["retry-after"];
              if (status >= 200) answered = { status, retryAfter: [retryAfter].flat()[0] };
            },
            onResponseData(controller, chunk) {
              if (size < RECORDED_ANSWER_BYTES) kept.push(Buffer.from(chunk));
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
      },
    );
    const retryAfterMs = readRetryAfter(head.retryAfter, ctx.clock.now());
    return { attempt: { kind: "answered", status: head.status, retryAfterMs }, answer: answer() };
  } catch (error) {
    const reason = toUpstreamError(error, target.hostname).message;
    return { attempt: { kind: "failed", reason }, answer: answer() };
  }
}

/** Seconds or a date (RFC 9110, 10.2.3), as milliseconds from now; undefined for anything else. */
function readRetryAfter(text: string | undefined, now: Date): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now.getTime());
}

function noAnswer({ hostname }: URL): string {
  return `${hostname} did not answer within ${SEND_TIMEOUT_MS} ms.`;
}
