import {
  cleanText,
  fieldOf,
  isJsonObject,
  type JsonObject,
  listField,
  objectField,
  textField,
  typesOf,
} from "@jackfield/functions/openapi";
import { toLiteral } from "../source/literals.ts";
import { ANYTHING, type Conversion, type Place } from "./conversion.ts";
import { mergeSchemas, resolveSchema } from "./resolve-schema.ts";
import { toObject } from "./to-object.ts";
import { toArray, toNumber, toText, toValues } from "./to-scalar.ts";

const MOST_OPTIONS = 24;
const longest = { input: 500, output: 200 } as const;

/** A JSON Schema as the source of a zod schema. The description comes last, where tools read it. */
export function toZod(c: Conversion, value: unknown, place: Place, isOptional = false): string {
  const type = toType(c, value, place);
  return describe(c, value, isOptional ? `${type}.optional()` : type, place);
}

function describe(c: Conversion, value: unknown, type: string, place: Place): string {
  const resolved = isJsonObject(value) && c.left >= 0 ? resolveSchema(c, value, place) : undefined;
  const { schema = {} } = resolved ?? {};
  const text = textField(value, "description") ?? textField(schema, "description") ?? "";
  const parts = [text, ...hintsOf(c, schema, text)].filter((part) => part !== "");
  const description = cleanText(parts.join(" "), longest[c.direction]);
  return description === "" ? type : `${type}.describe(${toLiteral(description)})`;
}

/** What zod does not check, because documents are often wrong about it. */
function hintsOf(c: Conversion, schema: JsonObject, text: string): string[] {
  const format = textField(schema, "format");
  const first = fieldOf(schema, "default");
  const values = listField(schema, "enum").filter((item) => typeof item === "string");
  const isNamed = format !== undefined && /^[a-z-]{3,20}$/.test(format) && !/^u?int/.test(format);
  const isScalar = ["string", "number", "boolean"].includes(typeof first) && first !== "";
  return [
    ...(isNamed && !text.includes(format) ? [`Format: ${format}.`] : []),
    ...(c.direction === "input" && isScalar && !/default/i.test(text)
      ? [`Default: ${String(first).slice(0, 100)}.`]
      : []),
    ...(c.direction === "output" && values.length > 0 && values.length <= 12
      ? [`One of ${values.join(", ")}.`]
      : []),
  ];
}

function toType(c: Conversion, value: unknown, place: Place): string {
  c.left -= 1;
  if (c.left < 0 || place.depth > c.deepest) {
    c.notes.add("what is nested too deeply");
    return ANYTHING;
  }
  const resolved = resolveSchema(c, value, place);
  if (resolved === undefined) return ANYTHING;
  const { schema } = resolved;
  const types = typesOf(schema);
  const type = toPlainType(c, schema, types, resolved.place);
  const isNullable = fieldOf(schema, "nullable") === true || types.includes("null");
  return isNullable && type !== "z.null()" ? toNullable(type) : type;
}

function toNullable(type: string): string {
  return type === ANYTHING || type.endsWith(".nullable()") ? type : `${type}.nullable()`;
}

function toPlainType(
  c: Conversion,
  schema: JsonObject,
  types: readonly string[],
  place: Place,
): string {
  const values = Object.hasOwn(schema, "const") ? [schema["const"]] : listField(schema, "enum");
  if (values.length > 0) return toValues(c, values);
  const options = [...listField(schema, "oneOf"), ...listField(schema, "anyOf")];
  if (options.some((option) => saysMore(option))) return toUnion(c, schema, options, place);
  const known = types.filter((type) => type !== "null");
  if (known.length === 0) return types.length > 0 ? "z.null()" : ANYTHING;
  return joinTypes([...new Set(known.map((type) => toTypeOf(c, schema, type, place)))]);
}

function toTypeOf(c: Conversion, schema: JsonObject, type: string, place: Place): string {
  switch (type) {
    case "object":
      return toObject(c, schema, place);
    case "array":
      return toArray(c, schema, place);
    case "string":
      return toText(c, schema);
    case "number":
    case "integer":
      return toNumber(c, schema, type);
    case "boolean":
      return "z.boolean()";
    default:
      return ANYTHING;
  }
}

/** Options that only say which fields are needed together are left to the provider. */
function saysMore(option: unknown): boolean {
  const fields = [
    "$ref",
    "type",
    "properties",
    "allOf",
    "oneOf",
    "anyOf",
    "enum",
    "const",
    "items",
  ];
  return fields.some((field) => fieldOf(option, field) !== undefined);
}

function toUnion(
  c: Conversion,
  schema: JsonObject,
  options: readonly unknown[],
  place: Place,
): string {
  const { oneOf: _, anyOf: __, description: ___, nullable: ____, ...base } = schema;
  const isShared = objectField(base, "properties") !== undefined;
  if (options.length > MOST_OPTIONS) {
    c.notes.add("what has too many forms");
    return ANYTHING;
  }
  const types = options.map((option) => {
    if (!isShared) return toType(c, option, place);
    const resolved = resolveSchema(c, option, place);
    if (resolved === undefined) return ANYTHING;
    return toType(c, mergeSchemas(base, resolved.schema), resolved.place);
  });
  return joinTypes([...new Set(types)]);
}

function joinTypes(all: readonly string[]): string {
  const types = all.filter((type) => type !== "z.null()");
  const isNullable = types.length < all.length;
  if (types.includes(ANYTHING)) return ANYTHING;
  const [first = "z.null()"] = types;
  const joined = types.length > 1 ? `z.union([${types.join(", ")}])` : first;
  return isNullable && types.length > 0 ? toNullable(joined) : joined;
}
