import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { Ajv } from "ajv";
import { type Schema, sampleOf } from "./sample.ts";

/** A provider that takes what its document says and answers what its document says. */
export interface DocumentServer extends AsyncDisposable {
  readonly url: string;
  /** Each request that came, with what is wrong with it by the document. */
  readonly requests: { readonly call: string; readonly faults: string[]; readonly body: unknown }[];
}

/** Validates with ajv, on the document as it is: nothing of what writes actions is used. */
export async function startDocumentServer(path: string): Promise<DocumentServer> {
  const document: Schema = JSON.parse(await readFile(path, "utf8"));
  const base = new URL(document["servers"][0].url).pathname.replace(/\/$/, "");
  const ajv = new Ajv({
    strict: false,
    coerceTypes: "array",
    validateFormats: false,
    logger: false,
  });
  ajv.addSchema(document, "document");
  const requests: { call: string; faults: string[]; body: unknown }[] = [];
  const server = createServer((request, response) => void answer(request, response));
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? "/", "http://x.invalid");
    const found = findOperation(document, request.method ?? "", url.pathname.slice(base.length));
    const body = parseBody(request, await text(request));
    const { operation, values = {} } = found ?? {};
    const faults =
      operation === undefined
        ? ["no such operation"]
        : check({ ajv, document, operation }, values, url, request, body);
    requests.push({ call: `${request.method} ${url.pathname}${url.search}`, faults, body });
    const status = operation === undefined ? 404 : statusOf(operation);
    const content = operation?.["responses"]?.[status]?.content?.["application/json"];
    const isEmpty = content === undefined || request.method === "HEAD";
    response.writeHead(Number(status), { "content-type": "application/json", "x-is": "there" });
    response.end(isEmpty ? undefined : JSON.stringify(sampleOf(document, content.schema)));
  };
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return {
    url: `http://127.0.0.1:${address.port}`,
    requests,
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

interface Checking {
  readonly ajv: Ajv;
  readonly document: Schema;
  readonly operation: Schema;
}

function check(
  checking: Checking,
  values: Record<string, string>,
  url: URL,
  request: IncomingMessage,
  sent: unknown,
): string[] {
  const parameters = [...(checking.operation["parameters"] ?? [])].map((one) =>
    deref(checking, one),
  );
  const named = new Set(
    parameters.filter((one) => one["in"] === "query").map((one) => one["name"]),
  );
  const stray = [...url.searchParams.keys()].filter((key) => !named.has(key.split("[")[0] ?? ""));
  const wrong = parameters.flatMap((parameter) => {
    const value = readParameter(parameter, values, url, request);
    if (value === undefined)
      return parameter["required"] === true ? [`${parameter["name"]} is missing`] : [];
    return validate(checking, parameter["schema"], value, parameter["name"]);
  });
  const body = deref(checking, checking.operation["requestBody"] ?? {});
  const media = Object.values<Schema>(body["content"] ?? {})[0];
  const isMissing = sent === undefined && body["required"] !== true;
  const wrongBody =
    media?.["schema"] === undefined || isMissing
      ? []
      : validate(checking, media["schema"], sent ?? {}, "body");
  return [...stray.map((name) => `${name} is unknown`), ...wrong, ...wrongBody];
}

function deref({ document }: Pick<Checking, "document">, value: Schema): Schema {
  if (typeof value["$ref"] !== "string") return value;
  const parts = value["$ref"].split("/").slice(1);
  return parts.reduce((found, part) => found[part.replaceAll("~1", "/")], document);
}

/** Schemas refer to the document that ajv knows. */
function validate({ ajv }: Checking, schema: Schema, value: unknown, name: string): string[] {
  const own = JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#', '"$ref":"document#'));
  const isValid = ajv.validate({ properties: { value: own } }, { value });
  return isValid ? [] : [`${name} ${ajv.errorsText(ajv.errors, { dataVar: "" })}`];
}

function readParameter(
  parameter: Schema,
  values: Record<string, string>,
  url: URL,
  request: IncomingMessage,
): unknown {
  const { name, in: place, style, explode, schema } = parameter;
  if (place === "path") return values[name];
  if (place === "header") return request.headers[name.toLowerCase()];
  if (style === "deepObject") return Object(fromBrackets(url.searchParams))[name];
  const given = url.searchParams.getAll(name);
  if (given.length === 0) return undefined;
  if (schema?.type !== "array") return given[0];
  return explode === false ? given[0]?.split(",") : given;
}

function findOperation(document: Schema, method: string, path: string) {
  for (const [template, item] of Object.entries<Schema>(document["paths"])) {
    const names = [...template.matchAll(/\{([^}]+)\}/g)].map(([, name = ""]) => name);
    const pattern = template
      .split(/\{[^}]+\}/)
      .map((part) => part.replaceAll(/[$.]/g, "\\$&"))
      .join("([^/]+)");
    const match = new RegExp(`^${pattern}$`).exec(path);
    const operation: Schema | undefined = item[method.toLowerCase()];
    if (match === null || operation === undefined) continue;
    const pairs = names.map((name, index) => [name, decodeURIComponent(match[index + 1] ?? "")]);
    return { operation, values: Object.fromEntries(pairs) };
  }
  return undefined;
}

function statusOf(operation: Schema): string {
  return Object.keys(operation["responses"]).find((status) => status.startsWith("2")) ?? "200";
}

function parseBody(request: IncomingMessage, body: string): unknown {
  if (body === "") return undefined;
  const isForm = request.headers["content-type"]?.startsWith("application/x-www-form-urlencoded");
  return isForm ? fromBrackets(new URLSearchParams(body)) : JSON.parse(body);
}

/** `a[b][0]=c` as PHP, Rails and others read it. */
function fromBrackets(pairs: URLSearchParams): unknown {
  const root: Schema = {};
  for (const [key, value] of pairs) {
    const path = [...key.matchAll(/[^[\]]+/g)].map(([part]) => part);
    const last = path.pop() ?? "";
    const target = path.reduce((found, part) => (found[part] ??= {}), root);
    target[last] = value;
  }
  return withLists(root);
}

function withLists(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, item]) => [key, withLists(item)] as const);
  const isList = entries.length > 0 && entries.every(([key], index) => key === String(index));
  return isList ? entries.map(([, item]) => item) : Object.fromEntries(entries);
}
