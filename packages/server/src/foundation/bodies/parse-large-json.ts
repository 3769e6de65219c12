import { extname } from "node:path";
import { AppError } from "../errors.ts";
import { JobThread } from "../threads/index.ts";
import type { JsonBounds, JsonFault } from "./json-fault.ts";

export interface ParsedInThread {
  readonly value: unknown;
  /** SHA-256 of the bytes, in base64url. */
  readonly digest: string;
}

export type ThreadAnswer =
  | { readonly parsed: ParsedInThread }
  | { readonly fault: Pick<JsonFault, "code" | "message"> };

export interface ParseJob {
  /** One behind the other they are the body. */
  readonly parts: readonly Uint8Array<ArrayBuffer>[];
  readonly bounds: JsonBounds;
}

// The largest body, as text of two bytes a character, and the values parsed from it.
const MAX_HEAP_MB = 1024;

// Process-wide: a thread keeps nothing of what it has parsed.
let thread: JobThread<ParseJob, ThreadAnswer> | undefined;

/**
 * Checks and parses a body in a thread, so that the others of this process are served meanwhile. One thread: a second
 * would only share its core and double the memory. Takes the parts over, and never puts them together here: that costs
 * as much again as receiving them. Throws invalid_json, request_too_large.
 */
export async function parseLargeJson(
  parts: readonly Buffer[],
  bounds: JsonBounds,
): Promise<ParsedInThread> {
  thread ??= new JobThread({
    entry: new URL(`./json-thread-entry${extname(import.meta.url)}`, import.meta.url),
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
    onEnd: () => {
      thread = undefined;
    },
  });
  const own = parts.map(toOwnBytes);
  const answer = await thread.run(
    { parts: own, bounds },
    own.map(({ buffer }) => buffer),
  );
  if (answer === undefined) {
    throw new AppError("overloaded", "The body could not be read for want of memory; try again.", {
      headers: { "Retry-After": "1" },
    });
  }
  if ("fault" in answer) throw new AppError(answer.fault.code, answer.fault.message);
  return answer.parsed;
}

/** Bytes that stand alone in their memory, as those must that move to a thread: others may be of the next request. */
function toOwnBytes(bytes: Buffer): Uint8Array<ArrayBuffer> {
  const { buffer } = bytes;
  if (buffer instanceof ArrayBuffer && buffer.byteLength === bytes.byteLength) {
    return new Uint8Array(buffer);
  }
  return new Uint8Array(bytes);
}
