import { LARGEST_MESSAGE, limitsOfMessage } from "@jackfield/contract/frame-limits";
import { FrameError, parseHead } from "@jackfield/contract/frames";
import { type FromChild, fromChild } from "@jackfield/contract/runtime";
import { scanJson } from "#platform/json";

/** Deeper than what the runner sends. */
const MAX_DEPTH = 256;

/**
 * Reads the head of a message from a function's process, which may hold anything: its size, depth and number of values
 * are looked at before it is parsed, and those of its own kind before it is checked. Throws a FrameError.
 */
export function readMessage(head: Uint8Array, bodyBytes: number): FromChild {
  const shape = scanJson(head, { maxDepth: MAX_DEPTH, maxValues: LARGEST_MESSAGE.values });
  if (shape === undefined) throw new FrameError("a message that is no JSON, or too large");
  const message = parseHead(head);
  const { op, method } = toFields(message);
  const limits = limitsOfMessage(op, method);
  const isLarge = head.byteLength > limits.headBytes || shape.values > limits.values;
  if (isLarge || bodyBytes > limits.bodyBytes) {
    throw new FrameError("a message larger than its kind may be");
  }
  const checked = fromChild.safeParse(message);
  if (checked.success) return checked.data;
  throw new FrameError("a message of an unknown form");
}

function toFields(value: unknown): { op?: unknown; method?: unknown } {
  return typeof value === "object" && value !== null ? value : {};
}
