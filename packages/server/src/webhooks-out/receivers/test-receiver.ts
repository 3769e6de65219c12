import { getWebhookTargets } from "#environments";
import { AppError, type EnvironmentContext } from "#foundation";
import { postSigned } from "../sending/post-signed.ts";
import { receiverId } from "./receiver-id.ts";
import { isReceiver } from "./store.ts";

export interface ReceiverTest {
  readonly url: string;
  readonly status: number | undefined;
  readonly error: string | undefined;
  /** The first KB. */
  readonly answer: string;
  readonly durationMs: number;
}

/**
 * Sends one signed event of type `test`, which is not stored and not tried again. Throws not_found for an address
 * that the environment neither has in its settings nor has sent to.
 */
export async function testReceiver(
  ctx: EnvironmentContext,
  wanted: string | undefined,
): Promise<ReceiverTest> {
  const { urls } = await getWebhookTargets(ctx);
  const url = wanted ?? urls[0];
  if (url === undefined) {
    throw new AppError("not_found", "The environment has no webhook address: set `primary_url`.");
  }
  const { id: environmentId } = ctx.environment;
  const isKnown =
    urls.includes(url) || (await isReceiver(ctx.db, environmentId, receiverId(environmentId, url)));
  if (!isKnown) {
    throw new AppError(
      "not_found",
      "No webhook goes to that address: it is not in the webhook settings, and none was sent there.",
    );
  }
  const event = { from: "svc", type: "test", sentAt: ctx.clock.now().toISOString() };
  const startedMs = performance.now();
  const { attempt, answer } = await postSigned(ctx, { url, event, signal: ctx.signal });
  return {
    url,
    status: attempt.kind === "answered" ? attempt.status : undefined,
    error: attempt.kind === "answered" ? undefined : attempt.reason,
    answer: answer.toString(),
    durationMs: Math.round(performance.now() - startedMs),
  };
}
