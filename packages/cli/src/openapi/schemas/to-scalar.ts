import { fieldOf, isCleanName, type JsonObject } from "@jackfield/functions/openapi";
import { toLiteral } from "../source/literals.ts";
import type { Conversion, Place } from "./conversion.ts";

const MOST_VALUES = 200;

/** Values that are given one by one; `null` among them is an option. */
export function toValues({ direction }: Conversion, given: readonly unknown[]): string {
  const values = [...new Set(given)].filter((value) => value !== null);
  const type = toValueType(direction, values);
  return values.length < given.length && given.includes(null) && type !== "z.null()"
    ? `${type}.nullable()`
    : type;
}

function toValueType(direction: Conversion["direction"], values: readonly unknown[]): string {
  if (values.length === 0) return "z.null()";
  const texts = values.filter((value) => typeof value === "string");
  if (texts.length === values.length) {
    const isPlain = texts.every((text) => text === "" || isCleanName(text));
    if (direction === "output" || !isPlain || texts.length > MOST_VALUES) return "z.string()";
    return texts.length === 1
      ? `z.literal(${toLiteral(texts[0] ?? "")})`
      : `z.enum([${texts.map(toLiteral).join(", ")}])`;
  }
  if (values.every((value) => typeof value === "boolean")) return "z.boolean()";
  if (values.every((value) => typeof value === "number")) {
    const isShort = direction === "input" && values.length <= MOST_VALUES;
    return isShort ? `z.literal([${values.join(", ")}])` : "z.number()";
  }
  return "z.union([z.string(), z.number(), z.boolean()])";
}

export function toText({ direction }: Conversion, schema: JsonObject): string {
  if (direction === "output") return "z.string()";
  return `z.string()${toBounds(schema, { minLength: "min", maxLength: "max" })}`;
}

export function toNumber({ direction }: Conversion, schema: JsonObject, type: string): string {
  if (direction === "output") return "z.number()";
  const base = type === "integer" ? "z.int()" : "z.number()";
  // In OpenAPI 3.0 exclusive bounds are flags of the others.
  const isAbove = fieldOf(schema, "exclusiveMinimum") === true;
  const isBelow = fieldOf(schema, "exclusiveMaximum") === true;
  return `${base}${toBounds(schema, {
    minimum: isAbove ? "gt" : "min",
    maximum: isBelow ? "lt" : "max",
    exclusiveMinimum: "gt",
    exclusiveMaximum: "lt",
  })}`;
}

export function toArray(c: Conversion, schema: JsonObject, { depth, trail }: Place): string {
  const item = c.convert(c, fieldOf(schema, "items"), { depth: depth + 1, trail });
  const bounds =
    c.direction === "input" ? toBounds(schema, { minItems: "min", maxItems: "max" }) : "";
  return `z.array(${item})${bounds}`;
}

/** Bounds that can be kept; a document of another language has some beyond what a number holds. */
function toBounds(schema: JsonObject, methods: Readonly<Record<string, string>>): string {
  return Object.entries(methods)
    .map(([name, method]) => {
      const bound = fieldOf(schema, name);
      const isBound =
        typeof bound === "number" && Number.isFinite(bound) && Math.abs(bound) < 2 ** 53 - 1;
      return isBound ? `.${method}(${bound})` : "";
    })
    .join("");
}
