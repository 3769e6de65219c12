import {
  fieldOf,
  isCleanName,
  isJsonObject,
  type JsonObject,
  objectField,
  textsField,
  Unsupported,
} from "@jackfield/functions/openapi";
import { indent, toKey } from "../source/literals.ts";
import { ANYTHING, type Conversion, type Place } from "./conversion.ts";
import { resolveSchema } from "./resolve-schema.ts";

/** Of an object schema: the fields that go in the conversion's direction. */
export function listFields(c: Conversion, schema: JsonObject, place: Place): [string, unknown][] {
  const required = new Set(textsField(schema, "required"));
  const hidden = c.direction === "input" ? "readOnly" : "writeOnly";
  return Object.entries(objectField(schema, "properties") ?? {}).filter(([name, field]) => {
    if (isCleanName(name)) return !isMarked(c, field, hidden, place);
    if (c.direction === "input" && required.has(name)) {
      throw new Unsupported("needs a field whose name has characters that are not seen");
    }
    return false;
  });
}

function isMarked(c: Conversion, field: unknown, mark: string, place: Place): boolean {
  if (!isJsonObject(field) || c.left < 0) return false;
  return fieldOf(resolveSchema(c, field, place)?.schema, mark) === true;
}

export function toObject(c: Conversion, schema: JsonObject, place: Place): string {
  const inner = { depth: place.depth + 1, trail: place.trail };
  const others = fieldOf(schema, "additionalProperties");
  const fields = listFields(c, schema, place);
  if (fields.length === 0) {
    const value = isJsonObject(others) ? c.convert(c, others, inner) : ANYTHING;
    return `z.record(z.string(), ${value})`;
  }
  const required = new Set(textsField(schema, "required"));
  const lines = fields.flatMap(([name, field]) => {
    const isNeeded = c.direction === "input" && required.has(name);
    if (c.left <= 0 && !isNeeded) return [];
    return `${toKey(name)}: ${c.convert(c, field, inner, !required.has(name))},`;
  });
  const isOpen = c.direction === "output" || others === true || isJsonObject(others);
  return `z.${isOpen ? "looseObject" : "object"}({\n${indent(lines.join("\n"))}\n})`;
}
