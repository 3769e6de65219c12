import { AuthError, type AuthErrorDetail } from "./auth-error.ts";

/** The server as one connect session sees it. */
export interface Api {
  /** Without a slash at the end. */
  readonly host: string;
  readonly sessionToken: string;
}

const CALL_TIMEOUT_MS = 60_000;

export interface Call {
  readonly method?: "GET" | "POST" | "DELETE";
  readonly path: string;
  readonly query?: URLSearchParams;
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

/** The address of the server without a slash at the end; throws `invalid_host_url`. */
export function parseHost(host: string): string {
  const url = URL.canParse(host) ? new URL(host) : undefined;
  if (
    url === undefined ||
    !/^https?:$/.test(url.protocol) ||
    url.search !== "" ||
    url.hash !== ""
  ) {
    throw new AuthError(
      `"${host}" is not the address of a Jackfield server; write it like https://api.example.com.`,
      "invalid_host_url",
    );
  }
  return url.href.replace(/(?<!\/)\/+$/, "");
}

/** Calls the API with the session's token and gives the parsed body; throws AuthError. */
export async function callApi(api: Api, call: Call): Promise<unknown> {
  const timeout = AbortSignal.timeout(CALL_TIMEOUT_MS);
  const signal = call.signal === undefined ? timeout : AbortSignal.any([call.signal, timeout]);
  try {
    const response = await send(api, { ...call, signal });
    const text = await response.text();
    const body = parseJson(text);
    if (!response.ok) throw toAuthError(response.status, body);
    return body;
  } catch (error) {
    if (error instanceof AuthError) throw error;
    if (call.signal?.aborted === true) throw cancelled();
    throw new AuthError("The server cannot be reached. Check the connection.", "network_error");
  }
}

/** Sends a request as the session; rejects as `fetch` does. */
export async function send(
  { host, sessionToken }: Api,
  { method = "GET", path, query, body, signal }: Call,
): Promise<Response> {
  const text = query?.toString() ?? "";
  return await fetch(`${host}${path}${text === "" ? "" : `?${text}`}`, {
    method,
    credentials: "omit",
    cache: "no-store",
    referrerPolicy: "no-referrer",
    headers: {
      authorization: `Bearer ${sessionToken}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  });
}

/** An answer that is no success as the error that it describes. */
export function toAuthError(status: number, body: unknown): AuthError {
  const error = field(body, "error");
  const code = field(error, "code");
  const message = field(error, "message");
  const errors = field(error, "errors");
  return new AuthError(
    typeof message === "string" ? message : `The server answered with status ${status}.`,
    typeof code === "string" ? code : "unknown_error",
    Array.isArray(errors) ? errors.filter(isDetail) : [],
  );
}

export function cancelled(): AuthError {
  return new AuthError("The authorization was given up.", "authorization_cancelled");
}

/** A field of what may be an object. */
export function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

function isDetail(value: unknown): value is AuthErrorDetail {
  return typeof value === "object" && value !== null;
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
