/** The most that one field of a row takes, regardless of who wrote it. */
const MAX_BYTES = 90_000;
const MAX_VALUES = 5000;
const MAX_DEPTH = 32;
const MAX_NAME_CHARACTERS = 255;
/** Below this many bytes of budget a text is not begun. */
const SHORTEST_CUT = 40;

interface Budget {
  bytes: number;
  values: number;
  readonly ancestors: object[];
}

/** The text up to `limit` characters; a mark at its end says how many were cut. */
export function boundText(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const mark = (cut: number) => `… [${cut} characters cut]`;
  const kept = Math.max(0, limit - mark(text.length).length);
  return text.slice(0, kept).toWellFormed() + mark(text.length - kept);
}

/**
 * A value of a function or a provider within 90 kB, 5000 values and 32 levels; what is over them is replaced by marks
 * that say how much was cut. Stops reading at the bounds, so that a huge value costs no more than a large one.
 */
export function boundValue(value: unknown): unknown {
  return fits(value, newBudget(), 0) ? value : copy(value, newBudget());
}

function newBudget(): Budget {
  return { bytes: MAX_BYTES, values: MAX_VALUES, ancestors: [] };
}

function fits(value: unknown, budget: Budget, depth: number): boolean {
  budget.values -= 1;
  budget.bytes -= typeof value === "string" ? sizeOf(value, budget.bytes) : 8;
  if (budget.bytes < 0 || budget.values < 0) return false;
  if (typeof value !== "object" || value === null) return true;
  if (depth >= MAX_DEPTH) return false;
  if (Array.isArray(value)) return value.every((item) => fits(item, budget, depth + 1));
  for (const name in value) {
    budget.bytes -= name.length + 4;
    const item: unknown = Reflect.get(value, name);
    if (name.length > MAX_NAME_CHARACTERS || !fits(item, budget, depth + 1)) return false;
  }
  return true;
}

/** Bytes of a text; more than `limit` for one that is certainly longer, without reading it. */
function sizeOf(text: string, limit: number): number {
  return text.length > limit ? limit + 1 : Buffer.byteLength(text) + 2;
}

function copy(value: unknown, budget: Budget): unknown {
  budget.values -= 1;
  if (typeof value === "string") return copyText(value, budget);
  budget.bytes -= 8;
  if (typeof value !== "object" || value === null || value instanceof Date) return value;
  if (budget.ancestors.includes(value)) return "[circular]";
  if (budget.ancestors.length >= MAX_DEPTH) return "[deeper values cut]";
  budget.ancestors.push(value);
  const copied = Array.isArray(value) ? copyItems(value, budget) : copyFields(value, budget);
  budget.ancestors.pop();
  return copied;
}

function copyText(text: string, budget: Budget): string {
  const size = sizeOf(text, budget.bytes);
  const kept = size <= budget.bytes ? text : boundText(text, Math.floor(budget.bytes / 3));
  budget.bytes -= Math.min(size, budget.bytes);
  return kept;
}

function hasRoom({ bytes, values }: Budget): boolean {
  return bytes > SHORTEST_CUT && values > 0;
}

function copyItems(items: readonly unknown[], budget: Budget): unknown[] {
  const copied: unknown[] = [];
  for (const item of items) {
    if (!hasRoom(budget)) {
      copied.push(`[${items.length - copied.length} items cut]`);
      break;
    }
    copied.push(copy(item, budget));
  }
  return copied;
}

function copyFields(value: object, budget: Budget): Record<string, unknown> {
  const copied: [string, unknown][] = [];
  for (const name in value) {
    if (!hasRoom(budget)) {
      copied.push(["…", "[further fields cut]"]);
      break;
    }
    budget.bytes -= Math.min(name.length, MAX_NAME_CHARACTERS) + 4;
    copied.push([boundText(name, MAX_NAME_CHARACTERS), copy(Reflect.get(value, name), budget)]);
  }
  return Object.fromEntries(copied);
}
