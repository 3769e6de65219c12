import * as z from "zod";
import { messageOf, UserError } from "../user-error.ts";
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

/** Posts JSON and reads the answer; throws a UserError that tells what the platform said. */
export async function callPlatform<Answer>(
  platform: Platform,
  call: { readonly path: `/${string}`; readonly body: unknown; readonly answer: z.ZodType<Answer> },
): Promise<Answer> {
  const url = `${platform.host}${call.path}`;
  const { status, text } = await post(url, platform.key, JSON.stringify(call.body));
  const body = parseJson(text);
  if (status !== 200) throw new UserError(presentRefusal(url, status, body));
  const answer = call.answer.safeParse(body);
  if (answer.success) return answer.data;
  throw new UserError(
    `${url} answered in a form that jackfield ${readVersion()} does not know: is SVC_HOSTPORT the platform's address, and is its version the same?\n` +
      z.prettifyError(answer.error),
  );
}

async function post(
  url: string,
  key: string,
  body: string,
): Promise<{ status: number; text: string }> {
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: {
        authorization: `Bearer ${key}`,
        "content-type": "application/json",
        "user-agent": `svc-cli/${readVersion()}`,
      },
      body,
      redirect: "manual", // the key is for this host alone
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    return { status: response.status, text: await response.text() };
  } catch (error) {
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    throw new UserError(
      `${url} cannot be reached (${messageOf(cause) || "no answer"}): start the platform with \`jackfield start\`, or set SVC_HOSTPORT to its address.`,
      { cause: error },
    );
  }
}

function presentRefusal(url: string, status: number, body: unknown): string {
  const parsed = errorBody.safeParse(body);
  if (!parsed.success) {
    return `${url} answered ${status}, not as the platform does: is SVC_HOSTPORT the platform's address?`;
  }
  const { code, message, errors = [] } = parsed.data.error;
  const lines = errors.map((detail) => `  ${presentDetail(detail)}`);
  return [`${url} answered ${status} ${code}${message ? `: ${message}` : ""}`, ...lines].join("\n");
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
