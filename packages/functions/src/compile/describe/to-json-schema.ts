import * as z from "zod";

export type JsonSchema = Record<string, unknown>;

/** A zod schema as JSON Schema draft 7, to stand in a document as `#/definitions/<name>`. */
export function toJsonSchema(name: string, schema: z.ZodType): JsonSchema {
  const { $schema: _, ...converted } = z.toJSONSchema(schema, {
    target: "draft-7",
    io: "input",
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema }) => {
      const { type } = zodSchema._zod.def;
      if (type === "date") Object.assign(jsonSchema, { type: "string", format: "date-time" });
      if (type === "void") Object.assign(jsonSchema, { type: "null" });
    },
  });
  return mapReferences(converted, `#/definitions/${name}`);
}

/** The schema's own references are relative to itself; in the document it is one level down. */
function mapReferences(schema: JsonSchema, base: string): JsonSchema {
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => {
      if (key === "$ref" && typeof value === "string" && value.startsWith("#")) {
        return [key, base + value.slice(1)];
      }
      return [key, mapValue(value, base)];
    }),
  );
}

function mapValue(value: unknown, base: string): unknown {
  if (Array.isArray(value)) return value.map((item) => mapValue(item, base));
  return isJsonObject(value) ? mapReferences(value, base) : value;
}

function isJsonObject(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null;
}
