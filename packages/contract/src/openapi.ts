import * as z from "zod";
import { apiSections, sectionOf } from "./api-sections.ts";
import { bodyLimits } from "./body-limits.ts";
import { type ErrorCode, errorMessage } from "./errors.ts";
import { fieldNote } from "./field-notes.ts";
import { errorBody } from "./fields.ts";
import {
  bodyKindOf,
  type Deprecation,
  pathsOf,
  type RouteDefinition,
  statusOnRoute,
} from "./route.ts";

const about = `Every call carries \`Authorization: Bearer <API key>\`; the key chooses the environment, and its scopes what it may do. Bodies are JSON.

A failure is answered with \`{"error": {"code", "message", "errors"?}}\`: \`code\` stays the same between versions, \`message\` says what to change, \`errors\` has each fault of the request.

Where the operator limits the rate, answers carry \`X-RateLimit-*\`, and a 429 says in \`Retry-After\` how many seconds to wait.`;

const proxiedMethods = ["get", "post", "put", "patch", "delete", "head", "options"];

/** Of the API, which stays the same where the server changes inside. */
const API_VERSION = "1.0.0";

/** The API as an OpenAPI 3.1 document. */
export function buildOpenApi(
  routes: Readonly<Record<string, RouteDefinition>>,
): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const [name, route] of Object.entries(routes)) {
    const any = route.methods?.map((method) => method.toLowerCase()) ?? proxiedMethods;
    const methods = route.method === "ANY" ? any : [route.method.toLowerCase()];
    for (const [index, { path, deprecated }] of pathsOf(route).entries()) {
      for (const method of methods) {
        const names = [name, ...(index === 0 ? [] : [`alias${index}`])];
        const operationId = [...names, ...(methods.length === 1 ? [] : [method])].join("_");
        const template = path.replace("+}", "}");
        const operation = describeOperation({ operationId, name }, route, { path, deprecated });
        paths[template] = { ...paths[template], [method]: operation };
      }
    }
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Jackfield",
      version: API_VERSION,
      description: about,
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/", description: "The installation that serves this document" }],
    tags: apiSections.map(({ name, description }) => ({ name, description })),
    paths,
    components: {
      schemas: {
        Error: toJsonSchema(errorBody, "output"),
        ErrorWithMessage: toJsonSchema(errorBody.extend({ message: z.string() }), "output"),
      },
      securitySchemes: {
        apiKey: { type: "http", scheme: "bearer", description: "Key of an environment or account" },
        connectSession: { type: "http", scheme: "bearer", description: "Connect session token" },
      },
    },
  };
}

function describeOperation(
  { operationId, name }: { operationId: string; name: string },
  route: RouteDefinition,
  { path, deprecated }: { path: string; deprecated: Deprecation | undefined },
): Record<string, unknown> {
  const description = [
    ...(deprecated === undefined ? [] : [describeEnd(deprecated)]),
    ...describeScopes(route),
  ].join("\n\n");
  return {
    operationId,
    tags: [sectionOf(path).name],
    summary: route.summary,
    ...(description === "" ? {} : { description }),
    ...(deprecated === undefined ? {} : { deprecated: true }),
    ...describeSecurity(route),
    parameters: [
      ...describeParameters(name, "path", route.params ?? pathParameters(path)),
      ...describeParameters(name, "query", route.query),
      ...describeSynonyms(route),
      ...describeParameters(name, "header", route.headers),
      ...(route.idempotent === false ? [] : [idempotencyKey]),
    ],
    ...(route.body === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            ...describeLimit(route),
            content: { [bodyTypeOf(route)]: { schema: describeBody(name, route.body) } },
          },
        }),
    responses: { ...describeErrors(route), ...describeSuccess(route) },
  };
}

function describeLimit(route: RouteDefinition): Record<string, unknown> {
  const kind = bodyKindOf(route);
  if (kind === "stream") return {};
  const { bytes, values } = bodyLimits[kind];
  const description = `At most ${bytes} bytes and ${values} values.`;
  return { description, "x-max-bytes": bytes, "x-max-values": values };
}

function describeEnd({ since, sunset, use }: Deprecation): string {
  return `Deprecated since ${since}; may be gone after ${sunset}. Use \`${use}\`.`;
}

function bodyTypeOf(route: RouteDefinition): string {
  return route.form === true ? "application/x-www-form-urlencoded" : "application/json";
}

const idempotencyKey = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description: "The same key within 24 hours gets the same answer, without a second effect.",
  schema: { type: "string", minLength: 1, maxLength: 255 },
};

function describeSecurity(route: RouteDefinition): Record<string, unknown> {
  const schemes = new Set(
    route.principals
      .filter((principal) => principal !== "public")
      .map((principal) => (principal === "session" ? "connectSession" : "apiKey")),
  );
  const scopes = scopesOf(route);
  return {
    security: [...schemes].map((scheme) => ({ [scheme]: [] })),
    ...(scopes.length === 0 ? {} : { "x-scopes": scopes }),
  };
}

function scopesOf(route: RouteDefinition): string[] {
  return [route.scope].flat().filter((scope) => scope.includes(":"));
}

function describeScopes(route: RouteDefinition): string[] {
  const names = scopesOf(route).map((scope) => `\`${scope}\``);
  return names.length === 0 ? [] : [`The key needs the scope ${names.join(" or ")}.`];
}

/** The body's schema, with what is known of the fields on its first level. */
function describeBody(route: string, body: z.ZodType): Record<string, unknown> {
  const schema = toJsonSchema(body, "input");
  const properties = Object.entries(Object(schema["properties"])).map(([name, property]) => {
    const { text, example } = fieldNote(route, name) ?? {};
    const examples = example === undefined ? {} : { examples: [example] };
    return [name, { ...(text && { description: text }), ...examples, ...Object(property) }];
  });
  return properties.length === 0
    ? schema
    : { ...schema, properties: Object.fromEntries(properties) };
}

function pathParameters(path: string): z.ZodObject {
  const names = [...path.matchAll(/\{(\w+)\+?\}/g)].map((match) => match[1] ?? "");
  return z.object(Object.fromEntries(names.map((name) => [name, z.string()])));
}

function describeSynonyms(route: RouteDefinition): unknown[] {
  return Object.entries(route.synonyms?.query ?? {}).map(([synonym, name]) => ({
    name: synonym,
    in: "query",
    required: false,
    deprecated: true,
    description: `Another spelling of \`${name}\`.`,
    schema: { type: "string" },
  }));
}

function describeParameters(
  route: string,
  place: string,
  schema: z.ZodObject | undefined,
): unknown[] {
  if (schema === undefined) return [];
  const json = toJsonSchema(schema, "input");
  const required = new Set(Array.isArray(json["required"]) ? json["required"] : []);
  return Object.entries(Object(json["properties"])).map(([name, property]) => ({
    name,
    in: place,
    required: place === "path" || required.has(name),
    ...describeParameter(route, name),
    schema: property,
    ...(place === "query" && Object(property)["type"] === "object"
      ? { style: "deepObject", explode: true }
      : {}),
  }));
}

function describeParameter(route: string, name: string): Record<string, unknown> {
  const { text, example } = fieldNote(route, name) ?? {};
  return { ...(text && { description: text }), ...(example === undefined ? {} : { example }) };
}

function describeSuccess(route: RouteDefinition): Record<string, unknown> {
  const { status, schema } = route.success;
  if (schema === undefined) return { [status]: { description: route.summary } };
  const { accepted } = route;
  return {
    [status]: describeAnswer("Success", schema),
    ...(accepted && { [accepted.status]: describeAnswer("Accepted", accepted.schema) }),
  };
}

function describeAnswer(description: string, schema: z.ZodType): Record<string, unknown> {
  const json = toJsonSchema(schema, "output");
  return { description, content: { "application/json": { schema: json } } };
}

const largeKinds: ReadonlySet<string> = new Set(["action", "deployment"]);

/** Codes that every route of this shape can answer with, next to those it declares. */
export function impliedErrors(route: RouteDefinition): ErrorCode[] {
  const codes: ErrorCode[] = ["server_error", "invalid_headers"];
  const needsKey = route.principals.some((p) => p === "environment" || p === "account");
  if (needsKey) {
    codes.push("missing_auth_header", "malformed_auth_header", "unknown_account");
    codes.push("invalid_secret_key_format", "forbidden", "too_many_request");
  }
  if (route.principals.includes("session")) {
    codes.push("missing_auth_header", "malformed_auth_header", "too_many_request");
    codes.push("invalid_connect_session_token_format", "unknown_connect_session_token");
  }
  if (route.idempotent !== false) {
    codes.push("invalid_idempotency_key", "idempotency_in_progress", "idempotency_key_reused");
  }
  if (route.idempotent === "once") codes.push("action_outcome_unknown");
  if (route.path.includes("{")) codes.push("invalid_uri_params");
  if (!route.raw || route.query !== undefined) codes.push("invalid_query_params");
  // Where large bodies come in, so many at a time.
  if (largeKinds.has(bodyKindOf(route))) codes.push("overloaded");
  if (route.body !== undefined) {
    codes.push("invalid_body", "invalid_json", "invalid_content_type", "request_too_large");
  }
  return codes;
}

function describeErrors(route: RouteDefinition): Record<string, unknown> {
  const name = route.messageNextToError === true ? "ErrorWithMessage" : "Error";
  const own = { $ref: `#/components/schemas/${name}` };
  const { failure } = route;
  const schema = failure === undefined ? own : { anyOf: [own, toJsonSchema(failure, "output")] };
  const byStatus = new Map<number, ErrorCode[]>();
  const declared = route.errors.map((error) => (typeof error === "string" ? error : error.code));
  for (const code of new Set([...impliedErrors(route), ...declared])) {
    const status = statusOnRoute(route, code);
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      status,
      {
        description: codes.map((code) => `\`${code}\`: ${errorMessage(code)}`).join("\n"),
        content: { "application/json": { schema } },
      },
    ]),
  );
}

function toJsonSchema(schema: z.ZodType, io: "input" | "output"): Record<string, unknown> {
  const {
    $schema: _dialect,
    id: _id,
    ...json
  } = z.toJSONSchema(schema, {
    io,
    unrepresentable: "any",
    target: "draft-2020-12",
    reused: "inline",
  });
  return json;
}
