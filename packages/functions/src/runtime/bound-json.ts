import { functionLimits } from "@jackfield/contract/function-limits";

/** Bytes of JSON that a log entry's meta or an error's payload may take. */
export const PAYLOAD_LIMIT_BYTES: number = functionLimits.errorPayloadBytes.value;
const MAX_DEPTH = 32;
/** What a text is cut to at least, with its quotes. */
const CUT_BYTES = 20;

interface Budget {
  bytes: number;
  readonly ancestors: object[];
}

/**
 * A JSON copy of any value that takes about `limitBytes` at most: long text is cut, members past the limit are
 * dropped, and what JSON lacks (bigint, function, cycle) becomes text. Never throws on plain data.
 */
export function boundJson(value: unknown, limitBytes: number = PAYLOAD_LIMIT_BYTES): unknown {
  return copyValue(value, { bytes: limitBytes, ancestors: [] });
}

function copyValue(value: unknown, budget: Budget): unknown {
  if (value === null || value === undefined || typeof value === "boolean")
    return take(5, value, budget);
  if (typeof value === "number") {
    return take(String(value).length, Number.isFinite(value) ? value : null, budget);
  }
  if (typeof value === "string") return copyText(value, budget);
  if (typeof value === "bigint" || typeof value === "symbol")
    return copyText(String(value), budget);
  if (typeof value === "function") return copyText(`[function ${value.name}]`, budget);
  return copyObject(value, budget);
}

function take<T>(bytes: number, value: T, budget: Budget): T {
  budget.bytes -= bytes;
  return value;
}

function copyText(text: string, budget: Budget): string {
  const bytes = text.length > budget.bytes ? Number.POSITIVE_INFINITY : jsonBytes(text);
  if (bytes <= budget.bytes) return take(bytes, text, budget);
  const room = budget.bytes - CUT_BYTES;
  budget.bytes = 0;
  // Three bytes a character bounds the UTF-8 form of all but escaped ones, which take six.
  const kept = text.slice(0, Math.max(0, Math.floor(room / 3)));
  const fitting = jsonBytes(kept) <= room ? kept : kept.slice(0, kept.length / 2);
  return `${fitting}… [cut]`;
}

/** With its quotes and escapes. */
function jsonBytes(text: string): number {
  return Buffer.byteLength(JSON.stringify(text));
}

function copyObject(value: object, budget: Budget): unknown {
  if (budget.ancestors.includes(value)) return copyText("[circular]", budget);
  if (budget.ancestors.length >= MAX_DEPTH) return copyText("[too deep]", budget);
  budget.bytes -= 2;
  budget.ancestors.push(value);
  try {
    if ("toJSON" in value && typeof value.toJSON === "function") {
      return copyValue(value.toJSON(), budget);
    }
    if (value instanceof Error) return copyMembers(describeError(value), budget);
    return Array.isArray(value)
      ? copyItems(value, budget)
      : copyMembers(Object.entries(value), budget);
  } finally {
    budget.ancestors.pop();
  }
}

/** An error's own fields are not enumerable, so they are named here. */
function describeError(error: Error): [string, unknown][] {
  return [
    ["name", error.name],
    ["message", error.message],
    ["stack", error.stack],
    ...Object.entries(error),
  ];
}

function copyItems(items: readonly unknown[], budget: Budget): unknown[] {
  const copy: unknown[] = [];
  for (const item of items) {
    budget.bytes -= 1;
    if (budget.bytes <= 0) break;
    copy.push(copyValue(item, budget) ?? null);
  }
  return copy;
}

function copyMembers(members: readonly [string, unknown][], budget: Budget): unknown {
  const copy: [string, unknown][] = [];
  for (const [name, member] of members) {
    if (member === undefined) continue;
    budget.bytes -= jsonBytes(name) + 2;
    if (budget.bytes <= 0) break;
    copy.push([name, copyValue(member, budget)]);
  }
  return Object.fromEntries(copy);
}
