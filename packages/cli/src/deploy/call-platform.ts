import * as z from "zod";
import { type ExitCode, exitCodes, messageOf, UserError } from "../user-error.ts";
import { readVersion } from "../version.ts";

export interface Platform {
  /** Address without a slash at the end. */
  readonly host: string;
  readonly key: string;
}

const TIMEOUT_MS = 5 * 60_000;

const errorBody = z.looseObject({
  error: z.looseObject({
    code: z.string(),
    message: z.string().optional(),
    errors: z.array(z.looseObject({})).optional(),
  }),
});

export interface PlatformCall<Answer> {
  readonly method?: "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly answer: z.ZodType<Answer>;
  /** When the server refuses; the key's fault is always 7. */
  readonly exitCode?: ExitCode;
}

/** The server answered, and not with what was asked for. */
export class PlatformRefusal extends UserError {
  override name = "PlatformRefusal";
  readonly status: number;
  readonly code: string | undefined;

  constructor(
    message: string,
    refusal: { status: number; code: string | undefined; exitCode: ExitCode },
  ) {
    super(message, { exitCode: refusal.exitCode });
    this.status = refusal.status;
    this.code = refusal.code;
  }
}

/** Sends one call and reads its JSON; throws a UserError that tells what the server said. */
export async function callPlatform<Answer>(
  platform: Platform,
  call: PlatformCall<Answer>,
): Promise<Answer> {
  const query = new URLSearchParams(call.query).toString();
  const url = `${platform.host}${call.path}`;
  const { status, text } = await send(query === "" ? url : `${url}?${query}`, platform.key, call);
  const body = parseJson(text);
  if (status < 200 || status > 204) {
    const isKey = status === 401 || status === 403;
    const exitCode = isKey ? exitCodes.platform : (call.exitCode ?? exitCodes.failed);
    const code = errorBody.safeParse(body).data?.error.code;
    throw new PlatformRefusal(presentRefusal(url, status, body), { status, code, exitCode });
  }
  const answer = call.answer.safeParse(body);
  if (answer.success) return answer.data;
  throw new UserError(
    `${url} answered in a form that jackfield ${readVersion()} does not know: is SVC_HOSTPORT the server's address, and is its version the same?\n` +
      z.prettifyError(answer.error),
    { exitCode: exitCodes.platform },
  );
}

async function send(
  url: string,
  key: string,
  call: PlatformCall<unknown>,
): Promise<{ status: number; text: string }> {
  try {
    const response = await fetch(url, {
      method: call.method ?? "POST",
      headers: {
        ...call.headers,
        ...identify(key),
        ...(call.body !== undefined && { "content-type": "application/json" }),
      },
      ...(call.body !== undefined && { body: JSON.stringify(call.body) }),
      redirect: "manual", // the key is for this host alone
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    return { status: response.status, text: await response.text() };
  } catch (error) {
    throw toUnreachable(url, error);
  }
}

/** Headers that tell the server who calls. */
export function identify(key: string): Record<string, string> {
  return { authorization: `Bearer ${key}`, "user-agent": `svc-cli/${readVersion()}` };
}

export function toUnreachable(url: string, error: unknown): UserError {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return new UserError(
    `${url} cannot be reached (${messageOf(cause) || "no answer"}): start the server with \`jackfield start\`, or set SVC_HOSTPORT to its address.`,
    { cause: error, exitCode: exitCodes.platform },
  );
}

const TOO_LARGE =
  "Deploy fewer functions at once (--integration, --sync, --action), take large data out of a function's code, or have the operator raise SVC_BODY_LIMIT, and the limit of a proxy before the server.";

function presentRefusal(url: string, status: number, body: unknown): string {
  const parsed = errorBody.safeParse(body);
  if (!parsed.success) {
    if (status === 413) return `${url} answered 413: the request is too large for it. ${TOO_LARGE}`;
    return `${url} answered ${status}, not as the server does: is SVC_HOSTPORT the server's address?`;
  }
  const { code, message, errors = [] } = parsed.data.error;
  const lines = errors.map((detail) => `  ${presentDetail(detail)}`);
  const cure = status === 413 ? [TOO_LARGE] : [];
  return [
    `${url} answered ${status} ${code}${message ? `: ${message}` : ""}`,
    ...lines,
    ...cure,
  ].join("\n");
}

function presentDetail(detail: Record<string, unknown>): string {
  const { path, message } = detail;
  if (typeof message !== "string") return JSON.stringify(detail);
  const place = Array.isArray(path) ? path.join(".") : path;
  return typeof place === "string" && place !== "" ? `${place}: ${message}` : message;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
