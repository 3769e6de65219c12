const SHOWN = 8;
const MAX_TEXT = 120;

/** Where two JSON values differ, in words: `query.limit: recorded "100", now "50"`. */
export function findDifferences(recorded: unknown, now: unknown, path = ""): string[] {
  const found = [...listDifferences(recorded, now, path)];
  if (found.length <= SHOWN) return found;
  return [...found.slice(0, SHOWN), `and ${found.length - SHOWN} more`];
}

function* listDifferences(recorded: unknown, now: unknown, path: string): Generator<string> {
  if (Object.is(recorded, now)) return;
  if (isContainer(recorded) && isContainer(now) && Array.isArray(recorded) === Array.isArray(now)) {
    const before = new Map(Object.entries(recorded));
    const after = new Map(Object.entries(now));
    for (const name of new Set([...before.keys(), ...after.keys()])) {
      yield* listDifferences(
        before.get(name),
        after.get(name),
        path === "" ? name : `${path}.${name}`,
      );
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
