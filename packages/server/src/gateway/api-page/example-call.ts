import type { Reader } from "./reader.ts";

export interface Operation {
  readonly method: string;
  readonly path: string;
  /** As in the OpenAPI document. */
  readonly operation: Readonly<Record<string, unknown>>;
}

/**
 * The call as a shell line, with what is required and what has an example; undefined for pages. What only the reader can
 * know is in angle brackets.
 */
export function exampleCall(
  { method, path, operation }: Operation,
  { resolve }: Pick<Reader, "resolve">,
): string | undefined {
  const security = Array.isArray(operation["security"]) ? operation["security"] : [];
  const [principal] = security.map((scheme: unknown) => Object.keys(Object(scheme))[0]);
  if (principal === undefined) return undefined;
  const parameters = listOf(operation["parameters"])
    .map((given) => toParameter(resolve(given), resolve))
    .filter(({ name, required }, _, all) => {
      const isPair = all.some(({ name: other }) => other === "connection_id");
      return required || (name === "provider_config_key" && !isPair);
    });
  const address = parameters
    .filter(({ in: place }) => place === "path")
    .reduce((text, { name, ...rest }) => text.replace(`{${name}}`, textOf(name, rest)), path);
  const query = parameters
    .filter(({ in: place }) => place === "query")
    .map(({ name, ...rest }) => `${name}=${textOf(name, rest)}`)
    .join("&");
  const headers = parameters
    .filter(({ in: place }) => place === "header")
    .map(({ name, ...rest }) => `${headerCase(name)}: ${textOf(name, rest)}`);
  const variable = principal === "connectSession" ? "SESSION_TOKEN" : "KEY";
  const schema = Object(operation["requestBody"])["content"]?.["application/json"]?.schema;
  if (schema !== undefined && resolve(schema)["type"] === undefined) return undefined;
  const body = schema === undefined ? undefined : exampleValue(schema, "body", resolve);
  const all = [`Authorization: Bearer $${variable}`, ...headers];
  return [
    `curl ${method === "GET" ? "" : `-X ${method} `}"$HOST${address}${query === "" ? "" : `?${query}`}"`,
    ...all.map((header) => `-H "${header}"`),
    ...(body === undefined
      ? []
      : [`-H "Content-Type: application/json"`, `-d '${JSON.stringify(body)}'`]),
  ].join(" \\\n  ");
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly example?: unknown;
  readonly schema?: unknown;
}

function toParameter(
  given: Readonly<Record<string, unknown>>,
  resolve: Reader["resolve"],
): Parameter {
  const { name, in: place, required, example, schema: declared } = given;
  const schema = declared === undefined ? undefined : resolve(declared);
  return { name: String(name), in: String(place), required: required === true, example, schema };
}

function listOf(parameters: unknown): readonly unknown[] {
  return Array.isArray(parameters) ? parameters : [];
}

function textOf(name: string, { example, schema }: Pick<Parameter, "example" | "schema">): string {
  const value = example ?? (Object(schema)["enum"]?.[0] as unknown);
  return value === undefined ? `<${name}>` : String(value);
}

function headerCase(name: string): string {
  return name.replace(/(^|-)[a-z]/g, (letters) => letters.toUpperCase());
}

/** A value of the schema: its example, else what is required of it and what has an example of its own. */
function exampleValue(given: unknown, called: string, resolve: Reader["resolve"]): unknown {
  const schema: Record<string, unknown> = resolve(given);
  const { examples, const: literal, enum: literals, anyOf, oneOf, type, items } = Object(schema);
  if (Array.isArray(examples)) return examples[0];
  if (literal !== undefined) return literal;
  if (Array.isArray(literals)) return literals[0];
  const [choice] = anyOf ?? oneOf ?? [];
  if (choice !== undefined) return exampleValue(choice, called, resolve);
  const { properties, required = [], minItems = 0, minimum = 0, format } = Object(schema);
  switch (type) {
    case "object":
      return Object.fromEntries(
        Object.entries(Object(properties))
          .filter(([name, field]) => required.includes(name) || Object(field)["examples"])
          .map(([name, property]) => [name, exampleValue(property, name, resolve)]),
      );
    case "array":
      return minItems > 0 ? [exampleValue(items, called, resolve)] : [];
    case "integer":
    case "number":
      return Math.max(minimum, 1);
    case "boolean":
      return true;
    case "null":
      return null;
    default:
      return format === "date-time" ? "2026-01-31T12:00:00Z" : `<${called}>`;
  }
}
