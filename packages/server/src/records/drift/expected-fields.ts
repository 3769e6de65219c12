import type { FieldType } from "./profile.ts";

type JsonSchema = Readonly<Record<string, unknown>>;

/** What a schema says of a field. */
export interface ExpectedField {
  /** False where the schema does not name it. */
  readonly isNamed: boolean;
  /** Types that it may have; undefined where any is right. */
  readonly types: ReadonlySet<FieldType> | undefined;
}

/** Schemas that are looked at for one field; beyond it the field counts as named, of any type. */
const MOST_STEPS = 500;
const ANY: ExpectedField = { isNamed: true, types: undefined };

/**
 * What the schemas of a model, as deployed syncs declare it, say of the field at a pointer. Nothing of a schema is
 * evaluated: a pattern of a tenant is not run here.
 */
export function expectField(
  schemas: readonly { readonly schema: unknown; readonly definitions: JsonSchema }[],
  pointer: string,
): ExpectedField {
  const segments = pointer.split("/").slice(1);
  const types = new Set<FieldType>();
  let isNamed = false;
  const steps = { left: MOST_STEPS };
  for (const { schema, definitions } of schemas) {
    for (const found of findSchemas(schema, segments, { definitions, steps })) {
      isNamed = true;
      const own = isSchema(found) ? typesOf(found) : undefined;
      if (own === undefined) return ANY;
      for (const type of own) types.add(type);
    }
    if (steps.left <= 0) return ANY;
  }
  return { isNamed, types: isNamed ? types : undefined };
}

interface Search {
  readonly definitions: JsonSchema;
  readonly steps: { left: number };
}

/** The schemas, without choices and references, that the value at the end of a path may have; none: no schema names it. */
function* findSchemas(
  given: unknown,
  segments: readonly string[],
  search: Search,
): Generator<unknown> {
  for (const schema of branchesOf(given, search)) {
    const [segment, ...rest] = segments;
    if (segment === undefined || !isSchema(schema)) yield schema;
    else {
      for (const next of schemasBelow(schema, segment)) yield* findSchemas(next, rest, search);
    }
  }
}

function schemasBelow(schema: JsonSchema, segment: string): unknown[] {
  const { properties, items, additionalProperties: others } = schema;
  const named =
    isSchema(properties) && Object.hasOwn(properties, segment) ? [properties[segment]] : [];
  if (named.length > 0) return named;
  const ofMap = others === undefined || others === false ? [] : [others];
  if (segment !== "*") return isUnsaid(schema) ? [true] : ofMap;
  const ofList = Array.isArray(items) ? items : items === undefined ? [] : [items];
  return isUnsaid(schema) ? [true] : [...ofList, ...ofMap];
}

/** A schema that says nothing of its type or its parts, such as that of `z.any()`. */
function isUnsaid(schema: JsonSchema): boolean {
  const words = ["type", "properties", "items", "additionalProperties", "enum", "const"];
  return words.every((word) => schema[word] === undefined);
}

/** A schema as its choices, through references. */
function branchesOf(given: unknown, search: Search): unknown[] {
  search.steps.left -= 1;
  if (search.steps.left < 0 || !isSchema(given)) return [given];
  const reference = given["$ref"];
  if (typeof reference === "string") {
    const found = resolve(reference, search.definitions);
    return found === undefined ? [true] : branchesOf(found, search);
  }
  const choices = [given["anyOf"], given["oneOf"], given["allOf"]].find(Array.isArray);
  return choices === undefined
    ? [given]
    : choices.flatMap((choice: unknown) => branchesOf(choice, search));
}

function resolve(reference: string, definitions: JsonSchema): unknown {
  const [root, first, ...path] = reference.split("/").map(fromPointer);
  if (root !== "#" || first !== "definitions") return undefined;
  let value: unknown = definitions;
  for (const segment of path) {
    if (!isSchema(value) || !Object.hasOwn(value, segment)) return undefined;
    value = value[segment];
  }
  return value;
}

function fromPointer(segment: string): string {
  return segment.replaceAll("~1", "/").replaceAll("~0", "~");
}

/** Undefined where a schema allows any type. */
function typesOf(schema: JsonSchema): FieldType[] | undefined {
  const { type, enum: values, const: value } = schema;
  if (Array.isArray(values)) return values.flatMap(typeOfValue);
  if (value !== undefined) return typeOfValue(value);
  const names = Array.isArray(type) ? type : [type];
  const types = names.map((name) => (typeof name === "string" ? ofName[name] : undefined));
  return types.every((each) => each !== undefined) ? types : undefined;
}

const ofName: Readonly<Record<string, FieldType>> = {
  ...{ string: "string", number: "number", integer: "number", boolean: "boolean" },
  ...{ object: "object", array: "array", null: "null" },
};

function typeOfValue(value: unknown): FieldType[] {
  if (value === null) return ["null"];
  if (Array.isArray(value)) return ["array"];
  const found = ofName[typeof value];
  return found === undefined ? [] : [found];
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
