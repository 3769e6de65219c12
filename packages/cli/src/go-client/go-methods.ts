import {
  fieldOf,
  isJsonObject,
  type JsonObject,
  listField,
  objectField,
  textField,
} from "@jackfield/functions/openapi";
import { argumentName, comment, exportedName } from "./go-names.ts";
import type { GoTypes } from "./go-types.ts";

interface Parameter {
  readonly name: string;
  readonly in: string;
  /** Its field in the parameters' struct. */
  readonly field: string;
  readonly about: string;
  readonly schema: unknown;
}

interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly operation: JsonObject;
}

// A route that takes the rest of the address keeps its slashes.
const REST_OF_PATH = "anyPath";
const withBody = new Set(["post", "put", "patch", "delete"]);

/** A method of Go for each operation of a document, in the document's order. */
export function writeMethods(document: JsonObject, types: GoTypes): string[] {
  const operations = Object.entries(objectField(document, "paths") ?? {}).flatMap(
    ([path, methods]): Operation[] =>
      Object.entries(isJsonObject(methods) ? methods : {}).flatMap(([method, operation]) => {
        const id = textField(operation, "operationId");
        return id === undefined || !isJsonObject(operation)
          ? []
          : [{ id, method, path, operation }];
      }),
  );
  return operations.map((operation) => writeMethod(document, types, operation));
}

function writeMethod(document: JsonObject, types: GoTypes, asked: Operation): string {
  const { id, method, path, operation } = asked;
  const name = exportedName(id);
  const parameters = listField(operation, "parameters").map((it) => readParameter(document, it));
  const inPath = parameters.filter((parameter) => parameter.in === "path");
  const others = withFields(parameters);
  const sent = bodyOf(types, asked, name);
  const answer = answerOf(document, types, { operation, name });
  const isRaw = answer === "*http.Response" && sent === undefined && withBody.has(method);
  const params = others.length === 0 ? undefined : types.takeName(`${name}Params`);
  const args = [
    "ctx context.Context",
    ...inPath.map((parameter) => `${argumentName(parameter.name)} string`),
    ...(params === undefined ? [] : [`params *${params}`]),
    ...(sent === undefined ? [] : [`body ${sent}`]),
    ...(isRaw ? ["body io.Reader"] : []),
    "options ...Option",
  ];
  const fields = [
    `method: ${JSON.stringify(method.toUpperCase())}`,
    `path: ${pathOf(path)}`,
    ...(sent === undefined ? [] : ["json: body"]),
    ...(isRaw ? ["raw: body"] : []),
    ...(params === undefined ? [] : ["query: url.Values{}", "header: http.Header{}"]),
  ];
  const reading =
    params === undefined ? "" : `\tif params != nil {\n${others.map(adding).join("")}\t}\n`;
  const about = `${name}: ${textField(operation, "summary") ?? ""}. ${textField(operation, "description") ?? ""}`;
  const result = answer === "" ? "error" : `(${answer}, error)`;
  return (
    (params === undefined ? "" : paramsType(params, others)) +
    `${comment(`${about.trim()}\n\n${method.toUpperCase()} ${path}`)}func (c *Client) ${name}(${args.join(", ")}) ${result} {\n` +
    `\tasked := call{${fields.join(", ")}}\n${reading}\treturn ${sending(answer)}\n}\n`
  );
}

/**
 * What the query and headers may say. Of two spellings of a value the first one serves; a header with the name of a
 * query's value says that it is one.
 */
function withFields(parameters: readonly Parameter[]): Parameter[] {
  const fields = new Map<string, Parameter>();
  for (const place of ["query", "header"]) {
    for (const parameter of parameters.filter((it) => it.in === place)) {
      const name = exportedName(parameter.name);
      const field = fields.get(name)?.in === "query" && place === "header" ? `${name}Header` : name;
      if (!fields.has(field)) fields.set(field, { ...parameter, field });
    }
  }
  return [...fields.values()];
}

function sending(answer: string): string {
  if (answer === "") return "c.sendForNothing(ctx, asked, options)";
  if (answer === "*http.Response") return "c.send(ctx, asked, options)";
  return `sendFor[${answer.slice(1)}](ctx, c, asked, options)`;
}

// Texts, since the server checks them: one kind of value for all that an address may say.
const kinds = {
  array: { go: "[]string", add: "addTexts" },
  object: { go: "map[string]string", add: "addFields" },
  text: { go: "*string", add: "addText" },
} as const;

function kindOf({ schema }: Parameter) {
  const type = textField(schema, "type");
  return kinds[type === "array" || type === "object" ? type : "text"];
}

function paramsType(name: string, parameters: readonly Parameter[]): string {
  const fields = parameters.map(
    (parameter) =>
      `${comment(parameter.about, "\t")}\t${parameter.field} ${kindOf(parameter).go}\n`,
  );
  return `// ${name} is what the call of that name may say in its query and headers.\ntype ${name} struct {\n${fields.join("")}}\n\n`;
}

function adding(parameter: Parameter): string {
  const to = parameter.in === "query" ? "asked.query" : "asked.header";
  return `\t\t${kindOf(parameter).add}(${to}, ${JSON.stringify(parameter.name)}, params.${parameter.field})\n`;
}

function pathOf(path: string): string {
  const written = path.split("{").flatMap((part, index) => {
    const end = index === 0 ? -1 : part.indexOf("}");
    const name = part.slice(0, Math.max(end, 0));
    const escaping = name === REST_OF_PATH ? "escapePath" : "url.PathEscape";
    const rest = part.slice(end + 1);
    return [
      ...(name === "" ? [] : [`${escaping}(${argumentName(name)})`]),
      ...(rest === "" ? [] : [JSON.stringify(rest)]),
    ];
  });
  return written.join(" + ");
}

function bodyOf(types: GoTypes, { operation }: Operation, name: string): string | undefined {
  const content = objectField(objectField(operation, "requestBody"), "content");
  const schema = fieldOf(objectField(content, "application/json"), "schema");
  if (schema === undefined) return undefined;
  return types.typeOf(schema, `${name}Body`);
}

/** Empty where there is none to read, and the answer as it came where it is no JSON. */
function answerOf(
  document: JsonObject,
  types: GoTypes,
  { operation, name }: { operation: JsonObject; name: string },
): string {
  const responses = objectField(operation, "responses") ?? {};
  const status = Object.keys(responses).find((it) => /^[23]/.test(it));
  if (status === undefined || status === "204") return "";
  const content = objectField(resolve(document, responses[status]), "content");
  const schema = fieldOf(objectField(content, "application/json"), "schema");
  if (schema === undefined) return "*http.Response";
  return `*${types.typeOf(schema, `${name}Answer`).replace(/^\*/, "")}`;
}

function readParameter(document: JsonObject, given: unknown): Parameter {
  const parameter = resolve(document, given);
  return {
    name: textField(parameter, "name") ?? "",
    in: textField(parameter, "in") ?? "",
    field: "",
    about: textField(parameter, "description") ?? "",
    schema: resolve(document, fieldOf(parameter, "schema")),
  };
}

function resolve(document: JsonObject, value: unknown): unknown {
  const reference = textField(value, "$ref");
  if (reference === undefined) return value;
  return reference
    .slice(2)
    .split("/")
    .reduce<unknown>(
      (at, key) => fieldOf(at, key.replaceAll("~1", "/").replaceAll("~0", "~")),
      document,
    );
}
