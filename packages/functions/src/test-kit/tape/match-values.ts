import { TAPE_HIDDEN } from "@jackfield/contract/tape-file";
import { findDifferences } from "../differences.ts";

/** Whether a text is what the tape has; what the tape has hidden may be anything. */
export function textsMatch(recorded: string, now: string): boolean {
  if (recorded === now) return true;
  if (!recorded.includes(TAPE_HIDDEN)) return false;
  const parts = recorded.split(TAPE_HIDDEN);
  const first = parts[0] ?? "";
  const last = parts.at(-1) ?? "";
  if (!now.startsWith(first)) return false;
  const end = now.length - last.length;
  if (end < first.length || now.slice(end) !== last) return false;
  let at = first.length;
  for (const part of parts.slice(1, -1)) {
    const found = now.indexOf(part, at);
    if (found === -1 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}

/** Whether two values of JSON are the same but for what the tape has hidden. */
export function valuesMatch(recorded: unknown, now: unknown): boolean {
  if (recorded === now) return true;
  if (typeof recorded === "string") {
    // A name can hide what is no text.
    return typeof now === "string" ? textsMatch(recorded, now) : recorded === TAPE_HIDDEN;
  }
  if (typeof recorded !== "object" || typeof now !== "object") return false;
  if (recorded === null || now === null || Array.isArray(recorded) !== Array.isArray(now)) {
    return false;
  }
  const before = Object.entries(recorded);
  const after = new Map(Object.entries(now));
  if (before.length !== after.size) return false;
  return before.every(([name, value]) => after.has(name) && valuesMatch(value, after.get(name)));
}

/** Where a value is not what the tape has: `query.limit: recorded "100", now "50"`. */
export function listChanges(recorded: unknown, now: unknown): string[] {
  return findDifferences(recorded, now, valuesMatch);
}
