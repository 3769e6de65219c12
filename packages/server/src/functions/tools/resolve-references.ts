import type { JsonSchema } from "./slim-schema.ts";

/** Schemas that point at themselves are shown as far as this. */
const DEEPEST = 4;
/** A schema that multiplies by its references is cut. */
const MOST_RESOLVED = 500;

/** The schema with what its references name in their place, for readers that do not follow any. */
export function resolveReferences(schema: JsonSchema): JsonSchema {
  let resolved = 0;
  const resolveValue = (value: unknown, depth: number): unknown => {
    if (Array.isArray(value)) return value.map((each) => resolveValue(each, depth));
    if (typeof value !== "object" || value === null) return value;
    return resolve({ ...value }, depth);
  };
  const resolve = (part: JsonSchema, depth: number): JsonSchema => {
    const { $ref: reference, ...rest } = part;
    if (typeof reference === "string" && reference.startsWith("#/")) {
      resolved += 1;
      const target =
        depth < DEEPEST && resolved < MOST_RESOLVED ? find(schema, reference) : undefined;
      return {
        ...(target === undefined ? { type: "object" } : resolve(target, depth + 1)),
        ...rest,
      };
    }
    return Object.fromEntries(
      Object.entries(part)
        .filter(([key]) => key !== "definitions")
        .map(([key, value]) => [key, resolveValue(value, depth)]),
    );
  };
  return resolve(schema, 0);
}

function find(schema: JsonSchema, reference: string): JsonSchema | undefined {
  const names = reference.slice("#/".length).split("/");
  const found = names.reduce<unknown>(
    (at, name) => (typeof at === "object" && at !== null ? Object(at)[readName(name)] : undefined),
    schema,
  );
  return typeof found === "object" && found !== null ? { ...found } : undefined;
}

/** RFC 6901, section 3. */
function readName(name: string): string {
  return name.replaceAll("~1", "/").replaceAll("~0", "~");
}
