import { AppError } from "../errors.ts";
import type { JsonBounds } from "./json-fault.ts";
import { JsonThread, type ParsedInThread } from "./json-thread.ts";

// Process-wide: a thread keeps nothing of what it has parsed.
let thread: JsonThread | undefined;

/**
 * Checks and parses a body in a thread, so that the others of this process are served meanwhile. One thread: a second
 * would only share its core and double the memory. Takes the bytes over; throws invalid_json, request_too_large.
 */
export async function parseLargeJson(bytes: Buffer, bounds: JsonBounds): Promise<ParsedInThread> {
  thread ??= new JsonThread(() => {
    thread = undefined;
  });
  const answer = await thread.parse(toOwnBytes(bytes), bounds);
  if (answer === undefined) {
    throw new AppError("overloaded", "The body could not be read for want of memory; try again.", {
      headers: { "Retry-After": "1" },
    });
  }
  if ("fault" in answer) throw new AppError(answer.fault.code, answer.fault.message);
  return answer.parsed;
}

/** Bytes that stand alone in their memory, as those must that move to a thread. */
function toOwnBytes(bytes: Buffer): Uint8Array<ArrayBuffer> {
  const { buffer } = bytes;
  if (buffer instanceof ArrayBuffer && buffer.byteLength === bytes.byteLength) {
    return new Uint8Array(buffer);
  }
  return new Uint8Array(bytes);
}
