/** Reads a dotted path; a member whose own name holds dots (`@odata.nextLink`) is found too. */
export function readPath(value: unknown, path: string): unknown {
  if (path === "") return value;
  if (typeof value !== "object" || value === null) return undefined;
  if (Object.hasOwn(value, path)) return readMember(value, path);
  for (let dot = path.indexOf("."); dot !== -1; dot = path.indexOf(".", dot + 1)) {
    const name = path.slice(0, dot);
    if (!Object.hasOwn(value, name)) continue;
    const found = readPath(readMember(value, name), path.slice(dot + 1));
    if (found !== undefined) return found;
  }
  return undefined;
}

function readMember(object: object, name: string): unknown {
  return Object.getOwnPropertyDescriptor(object, name)?.value;
}

/** A copy of `object` with the value at a dotted path; missing objects on the way are made. */
export function withPath(object: object, path: string, value: unknown): Record<string, unknown> {
  const dot = path.indexOf(".");
  if (dot === -1) return { ...object, [path]: value };
  const name = path.slice(0, dot);
  const inner = readMember(object, name);
  const base = typeof inner === "object" && inner !== null ? inner : {};
  return { ...object, [name]: withPath(base, path.slice(dot + 1), value) };
}
