import { isUtf8 } from "node:buffer";
import { functionLimits } from "@jackfield/contract/function-limits";
import { Pace } from "#foundation";
import { scanLongJson } from "#foundation/json";

const NEWLINE = 0x0a;

const MAX_DEPTH = functionLimits.recordDepth.value;
/** After so many bytes the thread is given back. */
const STEP_BYTES = 1024 * 1024;

/** Lines of records as they may be stored, or what is wrong with them, as a predicate. */
type CheckedLines = { readonly lines: readonly Uint8Array[] } | { readonly fault: string };

/**
 * Cuts a batch into the JSON of its records. The bytes come from a function's process: each line must be one object
 * whose `id` is the announced one, so that what is stored can be listed without looking at it again.
 */
export async function checkLines(ids: readonly string[], body: Uint8Array): Promise<CheckedLines> {
  const lines = splitLines(body);
  if (lines.length !== ids.length)
    return { fault: `has ${lines.length} lines for ${ids.length} ids` };
  if (new Set(ids).size !== ids.length) return { fault: "names an id twice" };
  if (!isUtf8(body)) return { fault: "is not UTF-8" };
  const pace = new Pace(STEP_BYTES);
  for (const [index, line] of lines.entries()) {
    if (!(await isRecord(line, ids[index] ?? ""))) {
      return { fault: `has a line ${index + 1} that is not the JSON object of its id` };
    }
    await pace.spend(line.byteLength);
  }
  return { lines };
}

async function isRecord(line: Uint8Array, id: string): Promise<boolean> {
  const shape = await scanLongJson(line, { maxDepth: MAX_DEPTH, member: "id" });
  if (shape?.isObject !== true || shape.member === undefined) return false;
  const { nulAt, halfPairAt } = shape.oddities;
  // Postgres stores neither.
  if (nulAt !== undefined || halfPairAt !== undefined) return false;
  const { start, end } = shape.member;
  const text = Buffer.from(line.buffer, line.byteOffset + start, end - start);
  return text.toString() === JSON.stringify(id);
}

/** Cuts bytes at newlines without copying or decoding them; no bytes are no lines. */
function splitLines(bytes: Uint8Array): Uint8Array[] {
  const lines: Uint8Array[] = [];
  let start = 0;
  while (start < bytes.byteLength) {
    const found = bytes.indexOf(NEWLINE, start);
    const end = found === -1 ? bytes.byteLength : found;
    lines.push(bytes.subarray(start, end));
    start = end + 1;
  }
  return lines;
}
