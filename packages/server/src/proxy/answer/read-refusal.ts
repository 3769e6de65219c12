import type { AttemptOutcome } from "../exchange/attempt.ts";
import type { Refusal } from "../exchange/retry-policy.ts";
import { BufferSink } from "./buffer-sink.ts";

/** A refused answer that tells how long to wait is short. */
export const MAX_REFUSAL_BYTES = 16 * 1024;

/** What a discarded answer tells: its headers, and its body where that was kept and is JSON. */
export async function readRefusal(outcome: AttemptOutcome | undefined): Promise<Refusal> {
  if (outcome?.kept === undefined) return { headers: outcome?.head.headers ?? [] };
  const { head, kept } = outcome;
  const sink = new BufferSink(MAX_REFUSAL_BYTES);
  sink.received(kept);
  try {
    const { body } = await sink.read(head, { decompress: true });
    return { headers: head.headers, body: JSON.parse(body.toString()) };
  } catch {
    // A body that cannot be read gives no hint, and the wait is the usual one.
    return { headers: head.headers };
  }
}
