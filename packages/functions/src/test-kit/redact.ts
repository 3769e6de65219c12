import { isSecretName } from "@jackfield/contract/secret-names";
import type { RecordedBody, RecordedCall } from "./recording.ts";

/** What stands for a secret in recordings; while replaying, it is also what the function gets as credential. */
export const REDACTED = "redacted";

const MIN_SECRET_LENGTH = 6;

/** Answers' headers that functions use; others (cookies, request ids, dates) differ each time or hold secrets. */
const RECORDED_ANSWER_HEADERS =
  /^(content-type|content-disposition|link|location|retry-after|etag|last-modified|x-(rate|total|page|next|prev|per-page).*|ratelimit.*)$/i;

export function keepAnswerHeaders(
  headers: Readonly<Record<string, string | string[]>>,
): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => RECORDED_ANSWER_HEADERS.test(name)),
  );
}

/** Every text in a connection's credentials; later they are searched for in all that is recorded. */
export function collectSecrets(credentials: unknown, found: Set<string> = new Set()): Set<string> {
  if (typeof credentials === "string" && credentials.length >= MIN_SECRET_LENGTH) {
    found.add(credentials);
  } else if (typeof credentials === "object" && credentials !== null) {
    for (const [name, value] of Object.entries(credentials)) {
      if (name !== "type" && !name.endsWith("_at")) collectSecrets(value, found);
    }
  }
  return found;
}

/** The call without secrets: those known by value, and values under a name of a secret. */
export function redactCall(call: RecordedCall, secrets: ReadonlySet<string>): RecordedCall {
  const { params, body, answer, failure } = call;
  return {
    ...call,
    call: redactPath(redactText(call.call, secrets)),
    ...(params !== undefined && { params: redactFields(params, secrets) }),
    ...(body !== undefined && { body: redactBody(body, secrets) }),
    ...(answer !== undefined && {
      answer: {
        ...answer,
        ...("value" in answer && { value: redactJson(answer.value, secrets) }),
        ...(answer.headers !== undefined && { headers: redactHeaders(answer.headers, secrets) }),
        ...(answer.body !== undefined && { body: redactBody(answer.body, secrets) }),
      },
    }),
    ...(failure !== undefined && {
      failure: {
        ...failure,
        message: redactText(failure.message, secrets),
        ...("payload" in failure && { payload: redactJson(failure.payload, secrets) }),
      },
    }),
  };
}

export function redactJson(value: unknown, secrets: ReadonlySet<string>): unknown {
  if (typeof value === "string") return redactText(value, secrets);
  if (Array.isArray(value)) return value.map((item) => redactJson(item, secrets));
  if (typeof value !== "object" || value === null) return value;
  return redactFields(Object.fromEntries(Object.entries(value)), secrets);
}

function redactFields(
  fields: Record<string, unknown>,
  secrets: ReadonlySet<string>,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => {
      if (name === "credentials") return [name, redactLeaves(value)];
      const isSecret = isSecretName(name) && typeof value === "string" && value !== "";
      return [name, isSecret ? REDACTED : redactJson(value, secrets)];
    }),
  );
}

/** `type` and the times stay: functions branch on them. */
function redactLeaves(value: unknown, name = ""): unknown {
  if (typeof value === "string") {
    return name === "type" || name.endsWith("_at") || value === "" ? value : REDACTED;
  }
  if (Array.isArray(value)) return value.map((item) => redactLeaves(item));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, redactLeaves(member, key)]),
  );
}

function redactHeaders(
  headers: Readonly<Record<string, string | string[]>>,
  secrets: ReadonlySet<string>,
): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Array.isArray(value)
        ? value.map((item) => redactPath(redactText(item, secrets)))
        : redactPath(redactText(value, secrets)),
    ]),
  );
}

function redactBody(body: RecordedBody, secrets: ReadonlySet<string>): RecordedBody {
  if ("json" in body) return { json: redactJson(body.json, secrets) };
  if ("base64" in body) return body;
  return { text: redactPath(redactText(body.text, secrets)) };
}

function redactText(text: string, secrets: ReadonlySet<string>): string {
  let redacted = text;
  for (const secret of secrets) {
    redacted = redacted
      .replaceAll(secret, REDACTED)
      .replaceAll(encodeURIComponent(secret), REDACTED);
  }
  return redacted;
}

/** Secrets in queries and forms: `…?api_key=abc` becomes `…?api_key=redacted`. */
function redactPath(text: string): string {
  return text.replaceAll(/(^|[?&])([^=&?\s<>]+)=([^&\s<>"]+)/g, (whole, before, name) =>
    isSecretName(name) ? `${before}${name}=${REDACTED}` : whole,
  );
}
