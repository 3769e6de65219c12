import type * as z from "zod";
import { apiAddress } from "../start/base-path.ts";
import { noteServerTime } from "../start/server-clock.ts";
import { readJson } from "./json/read-json.ts";
import { stepUp } from "./people/step-up.ts";
import { type Routes, routePaths } from "./route-paths.ts";

/** An answer that is not a success, or none at all. */
export class ApiError extends Error {
  readonly code: string;
  /** 0 when the server could not be reached. */
  readonly status: number;
  /** Whether the call only reads. */
  readonly isRead: boolean;
  readonly retryAfterSeconds: number | undefined;
  readonly details: readonly { path?: readonly (string | number)[]; message?: string }[];
  /** Of the request in the server's log and in the audit log; undefined where the server keeps no such log. */
  readonly requestId: string | undefined;

  constructor(given: {
    code: string;
    message: string;
    status: number;
    isRead?: boolean;
    retryAfterSeconds?: number | undefined;
    details?: ApiError["details"];
    requestId?: string | undefined;
  }) {
    super(given.message);
    this.code = given.code;
    this.status = given.status;
    this.isRead = given.isRead ?? false;
    this.retryAfterSeconds = given.retryAfterSeconds;
    this.details = given.details ?? [];
    this.requestId = given.requestId;
  }
}

export function isNotFound(error: unknown): boolean {
  return error instanceof ApiError && error.status === 404;
}

export type RouteName = keyof Routes;

type Part<Name extends RouteName, Key extends "params" | "query" | "body" | "headers"> =
  Routes[Name] extends Readonly<Record<Key, infer Schema extends z.ZodType>>
    ? z.input<Schema>
    : undefined;

/** What the server answers on success. */
export type AnswerOf<Name extends RouteName> = Routes[Name]["success"] extends {
  readonly schema: infer Schema extends z.ZodType;
}
  ? z.input<Schema>
  : undefined;

export interface CallOf<Name extends RouteName> {
  readonly params?: Part<Name, "params">;
  readonly query?: Part<Name, "query">;
  readonly body?: Part<Name, "body">;
  readonly headers?: Readonly<Record<string, string>>;
  /** Name of the environment; left out for routes of the account. */
  readonly environment?: string;
  readonly signal?: AbortSignal;
  /** The answer, where the call was made before. */
  readonly answer?: Promise<Response> | undefined;
}

const CALL_TIMEOUT_MS = 60_000;

let csrfToken: string | undefined;

/** The token of the session, which every call but the first has to carry. */
export function setCsrfToken(token: string | undefined): void {
  csrfToken = token;
}

export function csrfTokenOfPage(): string | undefined {
  return csrfToken;
}

/** Method and address of a call, as it is sent and as it is shown as code. */
export function addressOf<Name extends RouteName>(
  name: Name,
  { params, query }: Pick<CallOf<Name>, "params" | "query"> = {},
): { method: string; path: string } {
  const { method, path } = routePaths[name];
  const filled = path.replaceAll(/\{([a-zA-Z_]+)\+?\}/g, (_whole, key: string) =>
    encodeURIComponent(String(Object(params)[key])),
  );
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(Object(query))) {
    if (value === undefined || value === "") continue;
    search.set(key, Array.isArray(value) ? value.join(",") : String(value));
  }
  const text = search.toString();
  return { method, path: text === "" ? filled : `${filled}?${text}` };
}

/**
 * Calls a route with the session of this browser; throws ApiError. A call that needs a fresh proof of who makes it asks
 * for that, and is repeated.
 */
export async function callApi<Name extends RouteName>(
  name: Name,
  call: CallOf<Name> = {},
): Promise<AnswerOf<Name>> {
  try {
    return await callOnce(name, call);
  } catch (error) {
    const needsProof = error instanceof ApiError && error.code === "step_up_required";
    if (!needsProof || !(await stepUp())) throw error;
    return await callOnce(name, call);
  }
}

async function callOnce<Name extends RouteName>(
  name: Name,
  call: CallOf<Name>,
): Promise<AnswerOf<Name>> {
  const response = await (call.answer ?? fetchOnce(name, call)).catch((error: unknown) => {
    if (call.signal?.aborted === true) throw error;
    const isRead = routePaths[name].method === "GET";
    throw new ApiError({ code: "network_error", message: String(error), status: 0, isRead });
  });
  // Its answer is kept nowhere, and is asked for again and again.
  if (name === "getMe" && call.answer === undefined) noteServerTime(response);
  const body = await readJson(response);
  if (!response.ok) throw toApiError(name, response, body);
  return body as AnswerOf<Name>;
}

async function fetchOnce<Name extends RouteName>(
  name: Name,
  call: CallOf<Name>,
): Promise<Response> {
  const { method, path } = addressOf(name, call);
  const timeout = AbortSignal.timeout(CALL_TIMEOUT_MS);
  return await fetch(`${apiAddress}${path}`, {
    method,
    headers: headersOf(call),
    credentials: "same-origin",
    signal: call.signal === undefined ? timeout : AbortSignal.any([call.signal, timeout]),
    ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
  });
}

export function headersOf(call: CallOf<RouteName>): Record<string, string> {
  return {
    accept: "application/json",
    ...(call.body === undefined ? {} : { "content-type": "application/json" }),
    ...(csrfToken === undefined ? {} : { "svc-csrf": csrfToken }),
    ...(call.environment === undefined ? {} : { "svc-environment": call.environment }),
    ...call.headers,
  };
}

export function toApiError(name: RouteName, response: Response, body: unknown): ApiError {
  const error = Object(Object(body)["error"]);
  const wait = Number(response.headers.get("retry-after"));
  return new ApiError({
    code: typeof error["code"] === "string" ? error["code"] : "unknown_error",
    message: typeof error["message"] === "string" ? error["message"] : response.statusText,
    status: response.status,
    isRead: routePaths[name].method === "GET",
    retryAfterSeconds: Number.isFinite(wait) && wait > 0 ? wait : undefined,
    details: Array.isArray(error["errors"]) ? error["errors"] : [],
    requestId: response.headers.get("svc-request-id") ?? idOfFailure(error["errors"]),
  });
}

/** What was not foreseen has an id in the server's log, and nothing else to say. */
function idOfFailure(details: unknown): string | undefined {
  const { id } = Object(Array.isArray(details) ? details[0] : undefined);
  return typeof id === "string" ? id : undefined;
}
