export type JsonSchema = Readonly<Record<string, unknown>>;

/** The schema with those that it points at: others of the document stay out. */
export function standAlone(
  schema: JsonSchema,
  all: Readonly<Record<string, JsonSchema>>,
): JsonSchema {
  const needed = new Map<string, JsonSchema>();
  const collect = (value: JsonSchema) => {
    for (const name of referencesOf(value)) {
      const found = all[name];
      if (found === undefined || needed.has(name)) continue;
      needed.set(name, found);
      collect(found);
    }
  };
  collect(schema);
  return needed.size === 0 ? schema : { ...schema, definitions: Object.fromEntries(needed) };
}

/** Names of the document's schemas that stand in references, also in those that point into them. */
function referencesOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(referencesOf);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) => {
    if (key !== "$ref" || typeof part !== "string") return referencesOf(part);
    const name = /^#\/definitions\/([^/]+)/.exec(part)?.[1];
    return name === undefined ? [] : [name];
  });
}

/** Formats whose pattern adds nothing for who writes a value. */
const knownFormats: ReadonlySet<unknown> = new Set([
  ...["email", "uri", "uuid", "date", "date-time", "time", "duration", "ipv4", "ipv6", "hostname"],
]);
/** Names of schemas follow these keywords, and no keyword: a property may be called `pattern`. */
const namedSchemas: ReadonlySet<string> = new Set(["properties", "definitions", "$defs"]);
/** Values as they are, and no schemas. */
const plainValues: ReadonlySet<string> = new Set(["const", "enum", "default", "examples"]);

/** A schema that means the same to who writes a value, in fewer words. */
export function slimSchema(schema: JsonSchema): JsonSchema {
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key, value]) => !isNeedless(schema, key, value))
      .map(([key, value]) => [key, slimPart(key, value)]),
  );
}

function slimPart(key: string, value: unknown): unknown {
  if (plainValues.has(key)) return value;
  if (!namedSchemas.has(key)) return slimValue(value);
  return Object.fromEntries(
    Object.entries(Object(value)).map(([name, part]) => [name, slimValue(part)]),
  );
}

function slimValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(slimValue);
  return typeof value === "object" && value !== null ? slimSchema({ ...value }) : value;
}

function isNeedless(schema: JsonSchema, key: string, value: unknown): boolean {
  if (key === "$schema") return true;
  if (key === "pattern") return knownFormats.has(schema["format"]);
  if (key === "minimum") return value === Number.MIN_SAFE_INTEGER;
  if (key === "maximum") return value === Number.MAX_SAFE_INTEGER;
  return false;
}
