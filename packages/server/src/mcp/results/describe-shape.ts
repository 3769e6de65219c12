const LONGEST = 600;
const DEEPEST = 4;
const MOST_FIELDS = 30;
const MOST_KINDS = 5;
/** Items that are looked at. */
const SAMPLE = 20;

/** What a value looks like, as a type of TypeScript in at most 600 characters. */
export function describeShape(value: unknown): string {
  const text = shapeOf([value], 0);
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
}

/** The shape that all of the values have. */
function shapeOf(values: readonly unknown[], depth: number): string {
  const lists = values.filter(Array.isArray);
  const objects = values.filter(isObject);
  const kinds = new Set(
    values.filter((each) => !Array.isArray(each) && !isObject(each)).map(nameOf),
  );
  if (lists.length > 0) {
    const items = lists.flatMap((list) => list.slice(0, SAMPLE));
    const inner = items.length === 0 ? "unknown" : shapeOf(items, depth + 1);
    kinds.add(/[ |]/.test(inner) && !inner.startsWith("{") ? `(${inner})[]` : `${inner}[]`);
  }
  if (objects.length > 0) kinds.add(shapeOfObjects(objects, depth));
  return [...kinds].slice(0, MOST_KINDS).join(" | ");
}

function shapeOfObjects(objects: readonly Record<string, unknown>[], depth: number): string {
  if (depth >= DEEPEST) return "object";
  const names = [...new Set(objects.flatMap((each) => Object.keys(each)))];
  const fields = names.slice(0, MOST_FIELDS).map((name) => {
    const owners = objects.filter((each) => Object.hasOwn(each, name));
    const shown = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
    const optional = owners.length < objects.length ? "?" : "";
    const inner = shapeOf(
      owners.slice(0, SAMPLE).map((each) => each[name]),
      depth + 1,
    );
    return `${shown}${optional}: ${inner}`;
  });
  const more = names.length > MOST_FIELDS ? ["…"] : [];
  return fields.length === 0 ? "{}" : `{ ${[...fields, ...more].join("; ")} }`;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function nameOf(value: unknown): string {
  return value === null ? "null" : typeof value;
}
