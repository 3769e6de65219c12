import {
  fieldOf,
  getReferenced,
  isJsonObject,
  type JsonObject,
  listField,
  objectField,
  textField,
  textsField,
  Unsupported,
} from "@jackfield/functions/openapi";
import type { Conversion, Place } from "./conversion.ts";

export interface Resolved {
  readonly schema: JsonObject;
  readonly place: Place;
}

const MOST_MEMBERS = 100;
const MOST_REFERENCES = 60;
/** Fields that cost as much to merge as a schema does to convert. */
const FIELDS_AT_ONCE = 20;

/** The schema behind its references, with the members of `allOf` as one; undefined where it holds itself. */
export function resolveSchema(c: Conversion, value: unknown, place: Place): Resolved | undefined {
  if (!isJsonObject(value)) return { schema: {}, place };
  const reference = textField(value, "$ref");
  if (reference !== undefined) return resolveReference(c, value, reference, place);
  const members = listField(value, "allOf").slice(0, MOST_MEMBERS);
  if (members.length === 0) return { schema: value, place };
  const { allOf: _, ...own } = value;
  let merged: Resolved = { schema: {}, place };
  for (const member of [...members, own]) {
    c.left -= 1;
    const resolved = c.left < 0 ? undefined : resolveSchema(c, member, merged.place);
    if (resolved === undefined) continue;
    merged = { schema: mergeSchemas(merged.schema, resolved.schema), place: resolved.place };
    c.left -= Object.keys(objectField(merged.schema, "properties") ?? {}).length / FIELDS_AT_ONCE;
  }
  return merged;
}

function resolveReference(
  c: Conversion,
  value: JsonObject,
  reference: string,
  { depth, trail }: Place,
): Resolved | undefined {
  c.left -= 1;
  if (c.left < 0) return undefined;
  if (trail.includes(reference)) {
    c.notes.add(`${nameOf(reference)} holds itself`);
    return undefined;
  }
  if (trail.length >= MOST_REFERENCES) {
    c.notes.add("what is behind too many references");
    return undefined;
  }
  const target = findReferenced(c, reference);
  // From OpenAPI 3.1 on a reference may have a description of its own.
  const { $ref: _, ...own } = value;
  const described = isJsonObject(target) ? { ...target, ...own } : target;
  return resolveSchema(c, described, { depth, trail: [...trail, reference] });
}

/** What cannot be found keeps an action from being called rightly, but not its answer from being passed on. */
function findReferenced(c: Conversion, reference: string): unknown {
  try {
    return getReferenced(c.document, reference);
  } catch (error) {
    if (!(error instanceof Unsupported) || c.direction === "input") throw error;
    c.notes.add(error.message.replace(/^refers to /, ""));
    return {};
  }
}

export function mergeSchemas(first: JsonObject, second: JsonObject): JsonObject {
  const properties = { ...objectField(first, "properties"), ...objectField(second, "properties") };
  const required = [...textsField(first, "required"), ...textsField(second, "required")];
  const description = fieldOf(second, "description") ?? fieldOf(first, "description");
  return {
    ...first,
    ...second,
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(required.length > 0 && { required }),
    ...(description !== undefined && { description }),
  };
}

/** The last part of a reference. */
function nameOf(reference: string): string {
  return reference.split("/").at(-1) ?? reference;
}
