import {
  cleanText,
  fieldOf,
  getReferenced,
  isCleanName,
  isJsonObject,
  type JsonObject,
  listField,
  type OpenApiDocument,
  objectField,
  textField,
  textsField,
  Unsupported,
} from "@jackfield/functions/openapi";

/** A schema of a document on its way to one of its own: JSON Schema, with what it refers to in `definitions`. */
interface Conversion {
  readonly document: OpenApiDocument;
  /** Schemas inside each other; what is nested deeper may be anything. */
  readonly deepest: number;
  /** Names of the definitions, by the reference. */
  readonly names: Map<string, string>;
  readonly taken: Set<string>;
  readonly notes: Set<string>;
}

const LONGEST_DESCRIPTION = 300;
/** Of more, only the type is kept. */
const MOST_VALUES = 500;
const MOST_PARTS = 200;
const LONGEST_PATTERN = 500;
const DEPTHS = [40, 10, 6, 4, 3, 2, 1] as const;
const MOST_REFERENCES = 60;

export interface InputField {
  readonly name: string;
  readonly schema: unknown;
  readonly description: string | undefined;
  readonly isRequired: boolean;
}

export interface InputSchema {
  readonly schema: JsonObject;
  /** What may be anything since there was no room for it. */
  readonly notes: readonly string[];
}

/** The schema of an object with these fields, of at most so many bytes of JSON. Throws Unsupported. */
export function toInputSchema(
  document: OpenApiDocument,
  fields: readonly InputField[],
  mostBytes: number,
): InputSchema {
  for (const deepest of DEPTHS) {
    const c: Conversion = {
      document,
      deepest,
      names: new Map(),
      taken: new Set(),
      notes: new Set(),
    };
    const schema = toObject(c, fields);
    const room = mostBytes - bytesOf(schema);
    if (room < 0 && deepest > 1) continue;
    const definitions = define(c, room);
    const whole = Object.keys(definitions).length === 0 ? schema : { ...schema, definitions };
    return { schema: whole, notes: [...c.notes] };
  }
  throw new Unsupported("takes an input that is too large to describe");
}

function toObject(c: Conversion, fields: readonly InputField[]): JsonObject {
  const properties = fields.map(({ name, schema, description }) => {
    const converted = convert(c, schema, 0);
    const own = description === undefined ? {} : describe(description);
    return [
      name,
      "$ref" in converted ? { ...converted, ...own } : { ...own, ...converted, ...own },
    ];
  });
  const required = fields.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  return {
    type: "object",
    properties: Object.fromEntries(properties),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}

/** What was referred to, and what that refers to, as far as there is room; the rest may be anything. */
function define(c: Conversion, room: number): JsonObject {
  const definitions: Record<string, JsonObject> = {};
  let left = room;
  // The map grows while its schemas are converted.
  for (const [reference, name] of c.names) {
    const target = left > 0 ? convert(c, getReferenced(c.document, reference), 0) : undefined;
    const bytes = target === undefined ? 0 : bytesOf(target);
    left -= bytes;
    definitions[name] = target === undefined || left < 0 ? {} : target;
    if (left < 0 || target === undefined) c.notes.add(cleanText(name, 80));
  }
  return definitions;
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

function convert(c: Conversion, value: unknown, depth: number): JsonObject {
  if (!isJsonObject(value)) return {};
  if (depth > c.deepest) {
    c.notes.add("what is nested too deeply");
    return {};
  }
  const reference = textField(value, "$ref");
  if (reference !== undefined) return refer(c, reference, value);
  const types = typesOf(value);
  return {
    ...(types.length > 0 && { type: types.length === 1 ? types[0] : types }),
    ...describe(textField(value, "description") ?? ""),
    ...valuesOf(value),
    ...boundsOf(value),
    ...textsOf(value),
    ...membersOf(c, value, depth),
    ...partsOf(c, value, depth),
  };
}

function refer(c: Conversion, reference: string, value: JsonObject): JsonObject {
  const known = c.names.get(reference);
  const name = known ?? nameFor(c, reference);
  if (known === undefined) {
    // Throws where there is nothing: who calls the tool could not know what to give.
    requireTarget(c, reference);
    c.names.set(reference, name);
    c.taken.add(name);
  }
  return { $ref: `#/definitions/${name}`, ...describe(textField(value, "description") ?? "") };
}

function requireTarget({ document }: Conversion, reference: string): void {
  let found: unknown = getReferenced(document, reference);
  for (let step = 0; isJsonObject(found); step += 1) {
    const next = textField(found, "$ref");
    if (next === undefined) return;
    if (step > MOST_REFERENCES) throw new Unsupported("refers to itself");
    found = getReferenced(document, next);
  }
}

function nameFor({ taken }: Conversion, reference: string): string {
  const plain = (reference.split("/").at(-1) ?? "").replaceAll(/[^\w.-]/g, "_").slice(0, 50);
  const first = plain === "" || plain === "__proto__" ? "schema" : plain;
  let name = first;
  for (let count = 2; taken.has(name); count += 1) name = `${first}_${count}`;
  return name;
}

const knownTypes = ["string", "number", "integer", "boolean", "object", "array", "null"];

/** In OpenAPI 3.0 `nullable` is next to the type. */
function typesOf(value: JsonObject): string[] {
  const given = fieldOf(value, "type");
  const types = [given].flat().filter((type) => typeof type === "string");
  const known = types.filter((type) => knownTypes.includes(type));
  const isNullable = fieldOf(value, "nullable") === true && known.length > 0;
  return [...new Set(isNullable ? [...known, "null"] : known)];
}

function describe(text: string): JsonObject {
  const description = cleanText(text, LONGEST_DESCRIPTION);
  return description === "" ? {} : { description };
}

function valuesOf(value: JsonObject): JsonObject {
  const given = listField(value, "enum");
  const isNullable = fieldOf(value, "nullable") === true;
  const values = isNullable && !given.includes(null) ? [...given, null] : given;
  const first = fieldOf(value, "default");
  const isShort = JSON.stringify(first ?? "").length <= 200;
  return {
    ...(given.length > 0 && values.length <= MOST_VALUES && { enum: values }),
    ...(Object.hasOwn(value, "const") && { const: value["const"] }),
    ...(first !== undefined && isShort && { default: first }),
  };
}

const counts = [
  ...["minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"],
] as const;

function boundsOf(value: JsonObject): JsonObject {
  const bounds: Record<string, unknown> = {};
  for (const name of counts) {
    const bound = fieldOf(value, name);
    if (Number.isSafeInteger(bound) && Number(bound) >= 0) bounds[name] = bound;
  }
  for (const [name, exclusive] of [
    ["minimum", "exclusiveMinimum"],
    ["maximum", "exclusiveMaximum"],
  ] as const) {
    const bound = fieldOf(value, name);
    const other = fieldOf(value, exclusive);
    // In OpenAPI 3.0 an exclusive bound is a flag of the other.
    if (isNumber(bound)) bounds[other === true ? exclusive : name] = bound;
    if (isNumber(other)) bounds[exclusive] = other;
  }
  const step = fieldOf(value, "multipleOf");
  if (isNumber(step) && step > 0) bounds["multipleOf"] = step;
  if (fieldOf(value, "uniqueItems") === true) bounds["uniqueItems"] = true;
  return bounds;
}

function isNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

function textsOf(value: JsonObject): JsonObject {
  const format = textField(value, "format");
  const pattern = textField(value, "pattern");
  return {
    ...(format !== undefined && /^[\w-]{1,40}$/.test(format) && { format }),
    ...(pattern !== undefined && isPattern(pattern) && { pattern }),
  };
}

/** Whether the server can check it; documents have patterns of other languages, too. */
function isPattern(pattern: string): boolean {
  if (pattern.length > LONGEST_PATTERN || cleanText(pattern, LONGEST_PATTERN) !== pattern)
    return false;
  try {
    return new RegExp(pattern, "u").source !== "";
  } catch {
    return false;
  }
}

/** Fields and items. What only the provider writes is left out. */
function membersOf(c: Conversion, value: JsonObject, depth: number): JsonObject {
  const given = Object.entries(objectField(value, "properties") ?? {});
  const written = given.filter(([name, field]) => isCleanName(name) && !isReadOnly(c, field));
  const names = new Set(written.map(([name]) => name));
  const left = new Set(given.map(([name]) => name).filter((name) => !names.has(name)));
  const required = textsField(value, "required").filter(
    (name) => isCleanName(name) && !left.has(name),
  );
  const others = fieldOf(value, "additionalProperties");
  const items = fieldOf(value, "items");
  return {
    ...(written.length > 0 && {
      properties: Object.fromEntries(
        written.map(([name, field]) => [name, convert(c, field, depth + 1)]),
      ),
    }),
    ...(required.length > 0 && { required: [...new Set(required)] }),
    ...(typeof others === "boolean" && { additionalProperties: others }),
    ...(isJsonObject(others) && { additionalProperties: convert(c, others, depth + 1) }),
    ...(isJsonObject(items) && { items: convert(c, items, depth + 1) }),
  };
}

function isReadOnly({ document }: Conversion, field: unknown): boolean {
  const reference = textField(field, "$ref");
  const own = reference === undefined ? field : findTarget(document, reference);
  return fieldOf(own, "readOnly") === true;
}

function findTarget(document: OpenApiDocument, reference: string): unknown {
  try {
    return getReferenced(document, reference);
  } catch (error) {
    // Who converts the field says so.
    if (error instanceof Unsupported) return undefined;
    throw error;
  }
}

function partsOf(c: Conversion, value: JsonObject, depth: number): JsonObject {
  const parts: Record<string, unknown> = {};
  for (const name of ["oneOf", "anyOf", "allOf"] as const) {
    const given = listField(value, name).filter(isJsonObject);
    if (given.length === 0 || given.length > MOST_PARTS) continue;
    const converted = given.map((part) => convert(c, part, depth + 1));
    // Null is one of the forms of what may be null, also where it is written next to them.
    const isNullable = name !== "allOf" && fieldOf(value, "nullable") === true;
    const forms = isNullable ? [...converted, { type: "null" }] : converted;
    // Documents often say `oneOf` of forms that overlap: the provider takes what fits several.
    parts[name === "oneOf" ? "anyOf" : name] = forms;
  }
  return parts;
}
