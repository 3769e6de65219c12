import { resolveReference } from "@jackfield/contract";

type Json = Readonly<Record<string, unknown>>;

/** What the query of an operation is called as a type. */
export function nameOfQuery(operationId: string): string {
  return `${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}Query`;
}

/**
 * The document with a component for the query of each of these operations, as clients in code give it: numbers and
 * flags as such, and without other spellings of a name.
 */
export function withQuerySchemas(document: Json, operationIds: readonly string[]): Json {
  const schemas: Record<string, unknown> = {};
  const paths = Object.entries(Object(document["paths"])).map(([path, methods]) => {
    const operations = Object.entries(Object(methods)).map(([method, operation]) => {
      const { operationId } = Object(operation);
      if (method !== "get" || !operationIds.includes(operationId)) return [method, operation];
      const name = nameOfQuery(operationId);
      schemas[name] = toSchema(document, operation);
      // Types are sorted into files by the operations that refer to them.
      return [method, { ...Object(operation), "x-query": refer(name) }];
    });
    return [path, Object.fromEntries(operations)];
  });
  const missing = operationIds.filter((id) => schemas[nameOfQuery(id)] === undefined);
  if (missing.length > 0) throw new Error(`openapi.json has no GET named ${missing.join(", ")}`);
  const components = Object(document["components"]);
  return {
    ...document,
    paths: Object.fromEntries(paths),
    components: { ...components, schemas: { ...components.schemas, ...schemas } },
  };
}

function refer(name: string): Json {
  return { $ref: `#/components/schemas/${name}` };
}

function toSchema(document: Json, operation: unknown): Json {
  const all: unknown[] = Object(operation).parameters ?? [];
  const named = all
    .map((parameter) => Object(resolveReference(document, parameter)))
    .filter((parameter) => parameter.in === "query" && !isOtherSpelling(parameter));
  return {
    type: "object",
    additionalProperties: false,
    properties: Object.fromEntries(
      named.map(({ name, description, deprecated, schema }) => [
        name,
        { ...toValue(schema), description, deprecated },
      ]),
    ),
    required: named.filter(({ required }) => required === true).map(({ name }) => name),
  };
}

function isOtherSpelling({ deprecated, description }: Json): boolean {
  return deprecated === true && String(description).startsWith("Another spelling of ");
}

const FLAG = "#/components/schemas/Flag";

/** As code has the value before it is text of an address. */
function toValue(schema: unknown): Json {
  const { $ref: reference, type, pattern, enum: words, anyOf, items } = Object(schema);
  const isFlag = Array.isArray(words) && words.every((word) => word === "true" || word === "false");
  if (reference === FLAG || isFlag) return { type: "boolean" };
  if (type === "string" && pattern === "^\\d{1,15}$") return { type: "number" };
  if (type === "array") return { anyOf: [items, { ...Object(schema), readOnly: true }] };
  if (Array.isArray(anyOf)) {
    return {
      anyOf: anyOf.map((each) =>
        Object(each).type === "array" ? { ...Object(each), readOnly: true } : each,
      ),
    };
  }
  return Object(schema);
}
