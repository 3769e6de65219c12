import { fieldOf, isJsonObject, type JsonObject, objectField } from "./json.ts";

/** What a schema without a type is about. */
export function typesOf(schema: JsonObject): string[] {
  const given = fieldOf(schema, "type");
  if (typeof given === "string") return [given];
  if (Array.isArray(given)) return given.filter((type) => typeof type === "string");
  if (objectField(schema, "properties") !== undefined) return ["object"];
  if (isJsonObject(fieldOf(schema, "additionalProperties"))) return ["object"];
  return fieldOf(schema, "items") === undefined ? [] : ["array"];
}
