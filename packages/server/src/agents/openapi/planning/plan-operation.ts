import {
  type BodyKind,
  basePathOf,
  cleanText,
  type Effect,
  effectOf,
  fieldOf,
  follow,
  isJsonObject,
  type JsonObject,
  listField,
  type OpenApiDocument,
  type Operation,
  objectField,
  type Parameter,
  presentTexts,
  type RequestBody,
  readAnswer,
  readBody,
  readParameters,
  type Style,
  splitPath,
  textField,
  Unsupported,
} from "@jackfield/functions/openapi";
import { type InputField, toInputSchema } from "./input-schema.ts";

/** Where a value of the input goes in the request. */
export interface PlannedParameter {
  /** Property of the input. */
  readonly key: string;
  /** As the provider names it. */
  readonly name: string;
  readonly place: "path" | "query" | "header";
  readonly style: Style;
  readonly isExploded: boolean;
}

/** How the request is made of an input. */
export interface RequestPlan {
  readonly method: string;
  /** Literal parts, and in turn the key of the parameter between two of them. */
  readonly path: readonly string[];
  readonly parameters: readonly PlannedParameter[];
  readonly body:
    | {
        readonly key: string;
        readonly kind: BodyKind;
        readonly contentType: string;
        /** Fields of a form that are files in base64, and those that are written as `a[b]=c`. */
        readonly files: readonly string[];
        readonly deep: readonly string[];
      }
    | undefined;
  readonly accept: string | undefined;
}

export interface PlannedOperation {
  readonly name: string;
  readonly operationId: string | undefined;
  readonly tags: readonly string[];
  readonly effect: Effect;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema: JsonObject | undefined;
  readonly request: RequestPlan;
  /** What was left open in the input's schema. */
  readonly notes: readonly string[];
}

const OUTPUT_BYTES = 4000;
const DESCRIPTION = 1000;

/** Throws Unsupported with the reason why an operation cannot become a tool. */
export function planOperation(
  document: OpenApiDocument,
  operation: Operation,
  { basePath, schemaBytes }: { basePath: string | undefined; schemaBytes: number },
): PlannedOperation {
  const { method, action: name, id: operationId } = operation;
  if (method === "options" || method === "trace") {
    throw new Unsupported(`is ${method.toUpperCase()}, which tools do not send`);
  }
  const parameters = nameParameters(
    readParameters(document, operation).filter((each) => !isOwn(document, each)),
  );
  const body = readBody(document, operation);
  const bodyKey = body === undefined ? undefined : nameBody(body, parameters);
  const fields = [
    ...parameters.map(toField),
    ...(body === undefined || bodyKey === undefined ? [] : [toBodyField(document, body, bodyKey)]),
  ];
  const { schema: inputSchema, notes } = toInputSchema(document, fields, schemaBytes);
  const answer = readAnswer(document, operation);
  const path = `${basePathOf(document, operation, basePath)}${operation.path}`;
  return {
    ...{ name, operationId, inputSchema, notes },
    tags: operation.tags.slice(0, 20).map((tag) => cleanText(tag, 100)),
    effect: effectOf(method),
    ...presentTexts(operation, DESCRIPTION),
    outputSchema: answer.kind === "json" ? toOutput(document, answer.schema) : undefined,
    request: {
      method: method.toUpperCase(),
      path: splitPath(path, keysOfPath(parameters)),
      parameters: parameters.map(({ key, parameter }) => {
        const { name, place, style, isExploded } = parameter;
        return { key, name, place, style, isExploded };
      }),
      body:
        body === undefined || bodyKey === undefined
          ? undefined
          : {
              ...{ key: bodyKey, kind: body.kind, contentType: body.contentType },
              ...fieldsOfForm(document, body),
            },
      accept: answer.accept,
    },
  };
}

/** Only what an answer is like at first sight: it is never checked. */
function toOutput(document: OpenApiDocument, schema: unknown): JsonObject | undefined {
  try {
    const field = { name: "answer", schema, description: undefined, isRequired: true };
    const { schema: whole } = toInputSchema(document, [field], OUTPUT_BYTES);
    const answer = objectField(objectField(whole, "properties"), "answer") ?? {};
    const definitions = objectField(whole, "definitions");
    return definitions === undefined ? answer : { ...answer, definitions };
  } catch (error) {
    if (error instanceof Unsupported) return undefined;
    throw error;
  }
}

function keysOfPath(parameters: readonly NamedParameter[]): ReadonlyMap<string, string> {
  const own = parameters.filter(({ parameter }) => parameter.place === "path");
  return new Map(own.map(({ parameter, key }) => [parameter.name, key]));
}

interface NamedParameter {
  readonly key: string;
  readonly parameter: Parameter;
}

/** Of two parameters with one name, the second has its place in its name, too. */
function nameParameters(parameters: readonly Parameter[]): NamedParameter[] {
  const taken = new Set<string>();
  return parameters.map((parameter) => {
    let key = parameter.name;
    while (taken.has(key)) key = `${key}_${parameter.place}`;
    taken.add(key);
    return { parameter, key };
  });
}

function nameBody({ kind }: RequestBody, parameters: readonly NamedParameter[]): string {
  const taken = new Set(parameters.map(({ key }) => key));
  let key = kind === "bytes" ? "body_base64" : "body";
  while (taken.has(key)) key = `${key}_content`;
  return key;
}

const overrides = /^(x-http-method(-override)?|x-method-override|_method)$/i;

/** What the connection's credentials are for, what belongs to this server, and what would ask for another method. */
function isOwn({ root }: OpenApiDocument, { name, place }: Parameter): boolean {
  if (overrides.test(name) || (place === "header" && /^svc-/i.test(name))) return true;
  const schemes = objectField(objectField(root, "components"), "securitySchemes") ?? {};
  return Object.values(schemes).some(
    (scheme) =>
      textField(scheme, "type") === "apiKey" &&
      textField(scheme, "in") === place &&
      textField(scheme, "name")?.toLowerCase() === name.toLowerCase(),
  );
}

function toField({ key, parameter }: NamedParameter): InputField {
  const { schema, description, isRequired } = parameter;
  return { name: key, schema, description, isRequired };
}

function toBodyField(document: OpenApiDocument, body: RequestBody, name: string): InputField {
  const { kind, isRequired, schema } = body;
  const type = { type: "string" };
  if (kind === "bytes") {
    return { name, schema: type, description: "The bytes, in base64.", isRequired };
  }
  if (kind === "text") return { name, schema: type, description: body.contentType, isRequired };
  const { files } = fieldsOfForm(document, body);
  return {
    ...{ name, isRequired, description: undefined },
    schema: files.length === 0 ? schema : withFiles(document, schema, files),
  };
}

function withFiles(document: OpenApiDocument, schema: unknown, files: readonly string[]) {
  const own = resolve(document, schema);
  const properties = Object.entries(objectField(own, "properties") ?? {}).map(([name, field]) => {
    if (!files.includes(name)) return [name, field];
    const file = { type: "string", description: "A file, in base64." };
    const isList = fieldOf(resolve(document, field), "items") !== undefined;
    return [name, isList ? { type: "array", items: file } : file];
  });
  return { ...own, properties: Object.fromEntries(properties) };
}

function fieldsOfForm(
  document: OpenApiDocument,
  { kind, schema, encoding }: RequestBody,
): { files: string[]; deep: string[] } {
  if (kind !== "form" && kind !== "multipart") return { files: [], deep: [] };
  const fields = Object.entries(objectField(resolve(document, schema), "properties") ?? {});
  const files = fields.filter(([, field]) => isFile(document, field)).map(([name]) => name);
  const deep = fields.filter(([name, field]) => {
    const style = textField(objectField(encoding, name), "style");
    if (style !== undefined) return style === "deepObject";
    const items = resolve(document, fieldOf(resolve(document, field), "items"));
    return textField(items, "type") === "object" || objectField(items, "properties") !== undefined;
  });
  return {
    files: kind === "multipart" ? files : [],
    deep: kind === "form" ? deep.map(([name]) => name) : [],
  };
}

function isFile(document: OpenApiDocument, field: unknown): boolean {
  const own = resolve(document, field);
  const content = fieldOf(own, "items") === undefined ? own : resolve(document, own["items"]);
  return (
    textField(content, "format") === "binary" ||
    (textField(content, "contentMediaType") !== undefined &&
      textField(content, "contentEncoding") === undefined)
  );
}

/** The schema behind its references, with the fields of what it consists of. */
function resolve(document: OpenApiDocument, value: unknown, depth = 0): JsonObject {
  if (depth > 20 || !isJsonObject(value)) return {};
  const reference = textField(value, "$ref");
  if (reference !== undefined) return resolve(document, follow(document, reference), depth + 1);
  const parts = listField(value, "allOf").slice(0, 50);
  if (parts.length === 0) return value;
  const { allOf: _, ...own } = value;
  const all = [...parts.map((part) => resolve(document, part, depth + 1)), own];
  return {
    ...Object.assign({}, ...all),
    properties: Object.assign({}, ...all.map((part) => objectField(part, "properties"))),
    required: all.flatMap((part) => listField(part, "required")),
  };
}
