import { readFileSync } from "node:fs";
import { dereference } from "@jackfield/contract";

/** A request made from openapi.json: it has all that is required, and every name is one of the ids given. */
export interface SampleRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

export type JsonSchema = Readonly<Record<string, unknown>> | boolean;

export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required: boolean;
  readonly schema: JsonSchema;
}

export interface Operation {
  readonly operationId: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { schema: JsonSchema }>> };
  readonly responses: Readonly<Record<string, { content?: Record<string, { schema: object }> }>>;
}

interface Described {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

const document = JSON.parse(
  readFileSync(new URL("../../packages/contract/openapi.json", import.meta.url), "utf8"),
);

const paths: Record<string, Record<string, Operation>> = Object(
  dereference(document, document.paths),
);

export const operations: readonly Described[] = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    method: method.toUpperCase(),
    path,
    operation,
  })),
);

/** What stands for a name of the API; a name that is not here gets any value of its type. */
export type Ids = Readonly<Record<string, unknown>>;

export function sampleRequest({ method, path, operation }: Described, ids: Ids): SampleRequest {
  const wanted = operation.parameters.filter(({ name, required }) => required || name in ids);
  const textOf = (parameter: Parameter): string =>
    String(ids[parameter.name] ?? sampleValue(parameter.schema, ids));
  const filled = wanted
    .filter((parameter) => parameter.in === "path")
    .reduce(
      (text, parameter) =>
        text.replace(`{${parameter.name}}`, encodeURIComponent(textOf(parameter))),
      path,
    );
  const query = new URLSearchParams(
    wanted
      .filter((parameter) => parameter.in === "query")
      .map((parameter) => [parameter.name, textOf(parameter)]),
  );
  const schema = operation.requestBody?.content["application/json"]?.schema;
  return {
    method,
    path: `${filled}${query.size === 0 ? "" : `?${query}`}`,
    headers: Object.fromEntries(
      wanted
        .filter((parameter) => parameter.in === "header")
        .map((parameter) => [parameter.name, textOf(parameter)]),
    ),
    body: schema === undefined ? undefined : sampleValue(schema, ids),
  };
}

export function sampleValue(schema: JsonSchema, ids: Ids): unknown {
  if (typeof schema === "boolean") return "x";
  if ("const" in schema) return schema["const"];
  if (Array.isArray(schema["enum"])) return schema["enum"][0];
  for (const choice of ["oneOf", "anyOf", "allOf"]) {
    const options = schema[choice];
    if (Array.isArray(options)) return sampleValue(options[0], ids);
  }
  switch (schema["type"]) {
    case "object":
      return sampleObject(schema, ids);
    case "array":
      return Number(schema["minItems"] ?? 0) > 0 ? [sampleValue(Object(schema["items"]), ids)] : [];
    case "integer":
    case "number":
      return schema["minimum"] ?? 1;
    case "boolean":
      return false;
    case "string":
      return sampleText(schema);
    default:
      return "x";
  }
}

function sampleObject(schema: Readonly<Record<string, unknown>>, ids: Ids): object {
  const required = new Set(Array.isArray(schema["required"]) ? schema["required"] : []);
  const properties: Record<string, JsonSchema> = Object(schema["properties"]);
  return Object.fromEntries(
    Object.entries(properties)
      .filter(([name]) => required.has(name) || name in ids)
      .map(([name, property]) => [name, name in ids ? ids[name] : sampleValue(property, ids)]),
  );
}

function sampleText(schema: Readonly<Record<string, unknown>>): string {
  switch (schema["format"]) {
    case "uuid":
      return "0b8c1e5a-7f0d-4c8e-9a51-3f6d2b7c9e10";
    case "uri":
      return "https://example.com/";
    case "date-time":
      return "2026-01-02T03:04:05.000Z";
    case "email":
      return "a@example.com";
    default:
      return "Sample".padEnd(Number(schema["minLength"] ?? 0), "x");
  }
}
