import { TAPE_HIDDEN } from "@jackfield/contract/tape-file";

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

const SHOWN = 20;
const MAX_TEXT = 160;

/** Where a value is not what the tape has: `query.limit: recorded "100", now "50"`. */
export function listChanges(recorded: unknown, now: unknown, path = ""): string[] {
  const found = [...changesIn(recorded, now, path)];
  if (found.length <= SHOWN) return found;
  return [...found.slice(0, SHOWN), `and ${found.length - SHOWN} more`];
}

function* changesIn(recorded: unknown, now: unknown, path: string): Generator<string> {
  if (valuesMatch(recorded, now)) return;
  if (isContainer(recorded) && isContainer(now) && Array.isArray(recorded) === Array.isArray(now)) {
    const before = new Map(Object.entries(recorded));
    const after = new Map(Object.entries(now));
    for (const name of new Set([...before.keys(), ...after.keys()])) {
      const place = path === "" ? name : `${path}.${name}`;
      yield* changesIn(before.get(name), after.get(name), place);
    }
    return;
  }
  const place = path === "" ? "" : `${path}: `;
  if (recorded === undefined) yield `${place}not recorded, now ${show(now)}`;
  else if (now === undefined) yield `${place}recorded ${show(recorded)}, now missing`;
  else yield `${place}recorded ${show(recorded)}, now ${show(now)}`;
}

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT - 1)}…` : text;
}
