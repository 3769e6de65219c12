import type { ErrorCode } from "../errors.ts";
import { errorBody, errorWithMessage } from "../fields.ts";
import { bodyKindOf, type RouteDefinition, statusOnRoute } from "../route.ts";
import type { Components } from "./components.ts";

const largeKinds: ReadonlySet<string> = new Set(["action", "deployment"]);

/** Codes that every route of this shape can answer with, in addition to those it declares. */
export function impliedErrors(route: RouteDefinition): ErrorCode[] {
  const codes: ErrorCode[] = ["server_error", "invalid_headers"];
  const needsKey = route.principals.some((p) => p === "environment" || p === "account");
  if (needsKey) {
    codes.push("missing_auth_header", "malformed_auth_header", "unknown_account");
    codes.push("invalid_secret_key_format", "forbidden", "too_many_request");
    if (route.sessions === "refused") codes.push("session_not_taken");
  }
  if ((needsKey && route.sessions !== "refused") || route.principals.includes("user")) {
    codes.push("not_signed_in", "untrusted_request", "too_many_request", "forbidden");
  }
  if (route.stepUp !== undefined) codes.push("step_up_required");
  if (route.principals.includes("session")) {
    codes.push("missing_auth_header", "malformed_auth_header", "too_many_request");
    codes.push("invalid_connect_session_token_format", "unknown_connect_session_token");
  }
  if (route.principals.includes("agent")) {
    codes.push("missing_auth_header", "malformed_auth_header", "too_many_request");
    codes.push("unknown_agent_token");
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

/** Names and texts of answers by status; each operation lists its codes in place of the text. */
const statuses: Readonly<Record<number, readonly [name: string, description: string]>> = {
  400: ["BadRequest", "The request cannot be carried out as it was sent."],
  401: ["Unauthorized", "The API key or session token is missing, malformed or unknown."],
  403: ["Forbidden", "The API key may not do this."],
  404: ["NotFound", "What the request names does not exist."],
  405: ["MethodNotAllowed", "The protocol has no sessions to end here and no streams to read."],
  408: ["RequestTimeout", "The request was not received in time."],
  409: ["Conflict", "The request conflicts with what is there or in progress."],
  410: ["Gone", "The run was cancelled."],
  413: ["ContentTooLarge", "The request body is too large."],
  415: ["UnsupportedMediaType", "The request body has another content type than JSON."],
  421: ["MisdirectedRequest", "Browsers reach this route under another host."],
  422: ["UnprocessableContent", "The Idempotency-Key was used for another request."],
  424: ["FailedDependency", "The provider has refused."],
  429: ["TooManyRequests", "Too many requests; `Retry-After` says how many seconds to wait."],
  500: ["ServerError", "The call failed on the server's side or in a function."],
  502: ["BadGateway", "The provider cannot be reached."],
  503: ["ServiceUnavailable", "The server or the provider cannot answer now; try again shortly."],
  504: ["GatewayTimeout", "The provider did not answer in time."],
};

/** Answers that are errors, which operations refer to. */
export class ErrorResponses {
  readonly #components: Components;
  readonly #responses = new Map<string, unknown>();
  /** By the name of an answer: the codes that most routes give it for. */
  readonly #usual: ReadonlyMap<string, string>;

  constructor(components: Components, routes: readonly RouteDefinition[]) {
    this.#components = components;
    this.#usual = findUsual(routes);
  }

  /** Those of one route, by status; each with its codes unless they are the usual ones. */
  of(route: RouteDefinition): Record<string, unknown> {
    return Object.fromEntries(
      codesByStatus(route).map(([status, codes]) => {
        const name = nameOf(status, route);
        if (!this.#responses.has(name)) this.#responses.set(name, this.#make(status, route));
        const reference = { $ref: `#/components/responses/${name}` };
        const isUsual = this.#usual.get(name) === codes;
        return [status, isUsual ? reference : { ...reference, description: codes }];
      }),
    );
  }

  /** Of a route that always refuses: its one answer, which is no error of the table. */
  ofRefusal({ success: { status, schema }, summary }: RouteDefinition): Record<string, unknown> {
    const [name, description] = textsOf(status);
    const json = schema === undefined ? {} : this.#components.add(schema, "output");
    this.#responses.set(name, { description, content: { "application/json": { schema: json } } });
    return { [status]: { $ref: `#/components/responses/${name}`, description: summary } };
  }

  #make(status: number, route: RouteDefinition): unknown {
    const { messageNextToError, failure } = route;
    const body = messageNextToError === true ? errorWithMessage : errorBody;
    const schemas = [body, ...(failure === undefined ? [] : [failure])].map((schema) =>
      this.#components.add(schema, "output"),
    );
    const schema = schemas.length === 1 ? schemas[0] : { anyOf: schemas };
    const codes = this.#usual.get(nameOf(status, route));
    const description = `${textsOf(status)[1]} Usual codes: ${codes}.`;
    return { description, content: { "application/json": { schema } } };
  }

  all(): Record<string, unknown> {
    return Object.fromEntries([...this.#responses].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }
}

/** The codes that a route can answer with, as one text for each status. */
function codesByStatus(route: RouteDefinition): [status: number, codes: string][] {
  const declared = route.errors.map((error) => (typeof error === "string" ? error : error.code));
  const codes = [...new Set([...impliedErrors(route), ...declared])];
  const byStatus = Map.groupBy(codes, (code) => statusOnRoute(route, code));
  return [...byStatus].map(([status, found]) => [
    status,
    found.map((code) => `\`${code}\``).join(", "),
  ]);
}

function findUsual(routes: readonly RouteDefinition[]): ReadonlyMap<string, string> {
  const all = routes.flatMap((route) =>
    codesByStatus(route).map(([status, codes]) => ({ name: nameOf(status, route), codes })),
  );
  const byName = Map.groupBy(all, ({ name }) => name);
  return new Map(
    [...byName].map(([name, found]) => {
      const byCodes = [...Map.groupBy(found, ({ codes }) => codes)];
      const [usual] = byCodes.toSorted((a, b) => b[1].length - a[1].length);
      return [name, usual?.[0] ?? ""];
    }),
  );
}

/** The same status is answered in another form by routes with older clients, or with a protocol of their own. */
function nameOf(status: number, { messageNextToError, failure }: RouteDefinition): string {
  const [name] = textsOf(status);
  if (failure !== undefined) return `${name}OrProtocolError`;
  return messageNextToError === true ? `${name}WithMessage` : name;
}

function textsOf(status: number): readonly [name: string, description: string] {
  const found = statuses[status];
  if (found === undefined) throw new Error(`describe-errors.ts has no text for status ${status}`);
  return found;
}
