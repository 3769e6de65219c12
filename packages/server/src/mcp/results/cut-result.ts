/** Bytes that a list takes besides its items' own. */
const COMMA = 1;

/** A longer name is not worth its place in the answer. */
const LONGEST_NAME = 200;

/** As many of the first items as fit into the bytes, as compact JSON. */
export function takeFitting(items: readonly unknown[], limitBytes: number): unknown[] {
  let left = limitBytes - "[]".length;
  const taken: unknown[] = [];
  for (const item of items) {
    left -= Buffer.byteLength(JSON.stringify(item) ?? "null") + COMMA;
    if (left < 0) break;
    taken.push(item);
  }
  return taken;
}

/** The longest list of a result: the value itself, or one of its properties; undefined without any. */
export function findMainList(
  value: unknown,
): { readonly path: string; readonly items: readonly unknown[] } | undefined {
  if (Array.isArray(value)) return { path: "", items: value };
  if (typeof value !== "object" || value === null) return undefined;
  const lists = Object.entries(value).flatMap(([name, items]) =>
    Array.isArray(items) && name.length <= LONGEST_NAME
      ? [{ path: `/${escapeName(name)}`, items }]
      : [],
  );
  return lists.toSorted((a, b) => b.items.length - a.items.length)[0];
}

/** RFC 6901, section 3. */
function escapeName(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** The value at a JSON pointer (RFC 6901); undefined where there is none. */
export function readPointer(value: unknown, pointer: string): unknown {
  if (pointer === "") return value;
  const names = pointer.replace(/^\//, "").split("/");
  return names.reduce<unknown>((at, name) => {
    if (typeof at !== "object" || at === null) return undefined;
    const own = name.replaceAll("~1", "/").replaceAll("~0", "~");
    return Object.hasOwn(at, own)
      ? Object.entries(at).find(([key]) => key === own)?.[1]
      : undefined;
  }, value);
}
