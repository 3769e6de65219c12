const SHOWN = 20;
const MAX_TEXT = 160;

type IsSame = (recorded: unknown, now: unknown) => boolean;

/** Where two JSON values differ, in words: `query.limit: recorded "100", now "50"`. At most 20 places, and how many more. */
export function findDifferences(
  recorded: unknown,
  now: unknown,
  isSame: IsSame = Object.is,
): string[] {
  const found = [...listDifferences({ recorded, now }, "", isSame)];
  if (found.length <= SHOWN) return found;
  return [...found.slice(0, SHOWN), `and ${found.length - SHOWN} more`];
}

function* listDifferences(
  { recorded, now }: { readonly recorded: unknown; readonly now: unknown },
  path: string,
  isSame: IsSame,
): Generator<string> {
  if (isSame(recorded, now)) return;
  if (isContainer(recorded) && isContainer(now) && Array.isArray(recorded) === Array.isArray(now)) {
    const before = new Map(Object.entries(recorded));
    const after = new Map(Object.entries(now));
    for (const name of new Set([...before.keys(), ...after.keys()])) {
      const both = { recorded: before.get(name), now: after.get(name) };
      yield* listDifferences(both, path === "" ? name : `${path}.${name}`, isSame);
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
