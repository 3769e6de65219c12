import { functionLimits } from "@jackfield/contract/function-limits";
import type { RuntimeParams } from "@jackfield/contract/runtime";
import { type Issue, type Run, requireRunning } from "../run.ts";
import { isFieldName } from "./field-pointer.ts";
import { type StoredRecord, toLine } from "./record-lines.ts";

type Reason = RuntimeParams<"quarantineRecords">["reasons"][number];

const RECORDS_PER_CALL = functionLimits.recordsPerCall.value;
const MAX_REASONS = functionLimits.quarantineReasons.value;
const MAX_SAMPLES = functionLimits.quarantineSamples.value;
const MAX_SAMPLE_BYTES = functionLimits.quarantineSampleBytes.value;
const MAX_POINTER = functionLimits.quarantinePointer.value;
const SAMPLES_PER_REASON = 5;
const MAX_SEGMENTS = 10;
/** What stands for all reasons beyond the first. */
const OTHER: Reason = { pointer: "", code: "other", expected: "", received: "" };

/** A record with the first thing that does not fit. */
export interface Misfit {
  readonly record: StoredRecord;
  readonly issue: Issue;
}

/** Sends records to the quarantine of their model, at most 1000 a call, in order. */
export async function quarantineRecords(
  run: Run,
  model: string,
  misfits: readonly Misfit[],
): Promise<void> {
  for (let start = 0; start < misfits.length; start += RECORDS_PER_CALL) {
    requireRunning(run);
    const chunk = misfits.slice(start, start + RECORDS_PER_CALL);
    const { params, body } = toCall(model, chunk);
    await run.channel.call("quarantineRecords", params, body);
  }
}

function toCall(model: string, misfits: readonly Misfit[]) {
  const reasons: Reason[] = [];
  const known = new Map<string, number>();
  const tries: number[] = [];
  const samples: string[] = [];
  const lines: string[] = [];
  const reasonOf = misfits.map(({ record, issue }) => {
    const at = placeOf(toReason(record.fields, issue), { reasons, known });
    const tried = tries[at] ?? 0;
    if (tried < SAMPLES_PER_REASON && samples.length < MAX_SAMPLES) {
      tries[at] = tried + 1;
      const line = toSample(record);
      if (line !== undefined) {
        samples.push(record.id);
        lines.push(line);
      }
    }
    return at;
  });
  const ids = misfits.map(({ record }) => record.id);
  const params = { model, ids, reasons, reasonOf, samples };
  return { params, body: Buffer.from(lines.join("\n")) };
}

function placeOf(
  reason: Reason,
  { reasons, known }: { reasons: Reason[]; known: Map<string, number> },
): number {
  const wanted = JSON.stringify(Object.values(reason));
  const name = known.has(wanted) || reasons.length < MAX_REASONS - 1 ? wanted : "other";
  const found = known.get(name);
  if (found !== undefined) return found;
  known.set(name, reasons.length);
  reasons.push(name === wanted ? reason : OTHER);
  return reasons.length - 1;
}

/** What is wrong and where, without a value: names of types and formats come from the schema. */
function toReason(fields: object, { path, code, expected, format }: Issue): Reason {
  const wanted = typeof expected === "string" ? expected : format;
  return {
    pointer: toPointer(path),
    code: cut(code ?? "custom", 50) || "custom",
    expected: typeof wanted === "string" ? cut(wanted, 50) : "",
    received: typeAt(fields, path),
  };
}

/**
 * A JSON pointer (RFC 6901). `*` stands for a position in a list, and for a name that looks like data and not like a
 * field, such as an address or a number.
 */
function toPointer(path: Issue["path"]): string {
  const segments = path
    .slice(0, MAX_SEGMENTS)
    .map((part) => (typeof part === "string" && isFieldName(part) ? part : "*"));
  return cut(segments.map((segment) => `/${segment}`).join(""), MAX_POINTER);
}

function typeAt(fields: object, path: Issue["path"]): string {
  let value: unknown = fields;
  for (const part of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, part)) {
      return "missing";
    }
    value = Reflect.get(value, part);
  }
  if (value === undefined) return "missing";
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

/** Undefined for what is too large, or cannot be written as JSON. */
function toSample(record: StoredRecord): string | undefined {
  try {
    const line = toLine(record);
    return Buffer.byteLength(line) <= MAX_SAMPLE_BYTES ? line : undefined;
  } catch {
    return undefined;
  }
}

function cut(text: string, length: number): string {
  return text.slice(0, length).replace(/[^\x20-\x7e]/g, "?");
}
