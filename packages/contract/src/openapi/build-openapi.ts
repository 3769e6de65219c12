import { apiSections, sectionOf } from "../api-sections.ts";
import { bodyLimits } from "../body-limits.ts";
import { bodyKindOf, type Deprecation, pathsOf, type RouteDefinition } from "../route.ts";
import { Components } from "./components.ts";
import { ErrorResponses } from "./describe-errors.ts";
import { describeParameters, type Operation, shareParameters } from "./parameters.ts";

const about = `Every call carries \`Authorization: Bearer <API key>\`; the key chooses the environment, and its scopes what it may do. Bodies are JSON.

In place of a key, pages of the installation's own origin send the session of a user who has signed in: the cookie, \`Svc-Csrf\` with the token of \`GET /me\`, and \`Svc-Environment\` with the name or id of the environment where the route takes a key of one. The scopes are then those of the user's roles.

A failure is answered with \`{"error": {"code", "message", "errors"?}}\`: \`code\` stays the same between versions, \`message\` says what to change, \`errors\` has each fault of the request.

Where the operator limits the rate, answers carry \`X-RateLimit-*\`, and a 429 says in \`Retry-After\` how many seconds to wait.`;

const proxiedMethods = ["get", "post", "put", "patch", "delete", "head", "options"];

/** Of the API, which stays the same where the server changes inside. */
const API_VERSION = "1.0.0";

interface Parts {
  readonly components: Components;
  readonly responses: ErrorResponses;
}

/** The API as an OpenAPI 3.1 document. */
export function buildOpenApi(
  routes: Readonly<Record<string, RouteDefinition>>,
): Record<string, unknown> {
  const components = new Components();
  const responses = new ErrorResponses(components, Object.values(routes));
  const operations = Object.entries(routes).flatMap(([name, route]) =>
    operationsOf(name, route, { components, responses }),
  );
  const { part, schemas } = components.finish({
    paths: toPaths(operations),
    responses: responses.all(),
  });
  const { paths, parameters } = shareParameters(part.paths);
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
      schemas,
      responses: part.responses,
      parameters,
      securitySchemes: {
        apiKey: { type: "http", scheme: "bearer", description: "Key of an environment or account" },
        connectSession: { type: "http", scheme: "bearer", description: "Connect session token" },
        agentSession: {
          type: "http",
          scheme: "bearer",
          description: "Token of an agent's session",
        },
        userSession: {
          type: "apiKey",
          in: "cookie",
          name: "__Host-jackfield",
          description:
            "Session of a user in a browser, with the header `Svc-Csrf`; `jackfield` where the server is reached as http://localhost",
        },
      },
    },
  };
}

interface Described {
  readonly template: string;
  readonly method: string;
  readonly operation: Operation;
}

function operationsOf(name: string, route: RouteDefinition, parts: Parts): Described[] {
  const any = route.methods?.map((method) => method.toLowerCase()) ?? proxiedMethods;
  const methods = route.method === "ANY" ? any : [route.method.toLowerCase()];
  return pathsOf(route).flatMap(({ path, deprecated }, index) =>
    methods.map((method) => {
      const names = [name, ...(index === 0 ? [] : [`alias${index}`])];
      const operationId = [...names, ...(methods.length === 1 ? [] : [method])].join("_");
      const template = path.replace("+}", "}");
      const about = { operationId, path, deprecated };
      return { template, method, operation: describeOperation(route, about, parts) };
    }),
  );
}

function toPaths(operations: readonly Described[]): Record<string, Record<string, Operation>> {
  const paths: Record<string, Record<string, Operation>> = {};
  for (const { template, method, operation } of operations) {
    paths[template] = { ...paths[template], [method]: operation };
  }
  return paths;
}

function describeOperation(
  route: RouteDefinition,
  {
    operationId,
    path,
    deprecated,
  }: { operationId: string; path: string; deprecated: Deprecation | undefined },
  { components, responses }: Parts,
): Operation {
  const description = [
    ...(deprecated === undefined ? [] : [describeEnd(deprecated)]),
    ...describeScopes(route),
  ].join("\n\n");
  const isRefusal = route.success.status >= 400;
  const answers = isRefusal ? responses.ofRefusal(route) : describeSuccess(route, components);
  return {
    operationId,
    tags: [sectionOf(path).name],
    summary: route.summary,
    ...(description === "" ? {} : { description }),
    ...(deprecated === undefined ? {} : { deprecated: true }),
    ...describeSecurity(route),
    parameters: describeParameters(route, components),
    ...describeBody(route, components),
    responses: { ...responses.of(route), ...answers },
  };
}

function describeBody(route: RouteDefinition, components: Components): Record<string, unknown> {
  if (route.body === undefined) return {};
  const type = route.form === true ? "application/x-www-form-urlencoded" : "application/json";
  const schema = components.add(route.body, "input");
  const content = { [type]: { schema } };
  return { requestBody: { required: true, ...describeLimit(route), content } };
}

function describeLimit(route: RouteDefinition): Record<string, unknown> {
  const kind = bodyKindOf(route);
  if (kind === "stream") return {};
  const { bytes, values } = bodyLimits[kind];
  const description = `At most ${bytes} bytes and ${values} values.`;
  return { description, "x-max-bytes": bytes, "x-max-values": values };
}

function describeEnd({ since, sunset, use }: Deprecation): string {
  return `Deprecated since ${since}; may be removed after ${sunset}. Use \`${use}\`.`;
}

const schemeOf = {
  environment: "apiKey",
  account: "apiKey",
  session: "connectSession",
  agent: "agentSession",
  user: "userSession",
} as const;

function describeSecurity(route: RouteDefinition): Record<string, unknown> {
  const schemes = new Set(
    route.principals
      .filter((principal) => principal !== "public")
      .map((principal) => schemeOf[principal]),
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

function describeSuccess(route: RouteDefinition, components: Components): Record<string, unknown> {
  const { success, accepted, summary, streamedAs = ["application/json"] } = route;
  const answers = accepted === undefined ? [success] : [success, accepted];
  return Object.fromEntries(
    answers.map(({ status, schema }) => {
      if (schema === undefined) return [status, { description: summary }];
      const json = components.add(schema, "output");
      const content = streamedAs.map((type) => [type, { schema: json }]);
      return [status, { description: summary, content: Object.fromEntries(content) }];
    }),
  );
}
