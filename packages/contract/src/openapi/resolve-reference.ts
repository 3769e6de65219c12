type Json = Readonly<Record<string, unknown>>;

/** What a reference object of the document stands for, with the siblings of `$ref` in front; other values stay the same. */
export function resolveReference(document: Json, value: unknown): Json {
  const { $ref: reference, ...siblings } = Object(value);
  if (typeof reference !== "string") return Object(value);
  const target = reference
    .split("/")
    .slice(1)
    .reduce<unknown>((found, name) => Object(found)[name], document);
  return { ...resolveReference(document, target), ...siblings };
}

/** The value with every reference in it replaced by what it stands for; not for schemas that contain themselves. */
export function dereference(document: Json, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((each) => dereference(document, each));
  if (typeof value !== "object" || value === null) return value;
  const resolved = resolveReference(document, value);
  return Object.fromEntries(
    Object.entries(resolved).map(([name, each]) => [name, dereference(document, each)]),
  );
}
