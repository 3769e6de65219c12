import { isSecretName } from "@jackfield/contract/secret-names";
import type { LoggedError, LoggedRequest, LoggedResponse, Meta } from "./operation.ts";

const HIDDEN = "[redacted]";

/** The address without what may hold a credential: user and password, query, fragment. */
export function redactUrl(url: string): string {
  if (!/[?#@]/.test(url)) return url;
  const [address = ""] = url.split(/[?#]/, 1);
  return address.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/]*@/i, "$1");
}

/** Headers are shown by name; the value only of those that cannot be secret. */
const openHeaders =
  /^(accept|accept-language|cache-control|content-length|content-type|content-encoding|date|etag|host|last-modified|link|location-hint|retry-after|server|user-agent|vary|x-request-id|request-id|x-rate-?limit-[a-z-]+|ratelimit(-[a-z]+)?)$/i;

function redactHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      // A link may carry a token in its query.
      openHeaders.test(name) ? redactText(value) : HIDDEN,
    ]),
  );
}

export function redactRequest({ method, url, headers }: LoggedRequest): LoggedRequest {
  return {
    method,
    url: redactUrl(url),
    ...(headers === undefined ? {} : { headers: redactHeaders(headers) }),
  };
}

export function redactResponse({ code, headers }: LoggedResponse): LoggedResponse {
  return { code, ...(headers === undefined ? {} : { headers: redactHeaders(headers) }) };
}

const SECRET_WORDS =
  "access_?token|refresh_?token|id_?token|auth_?token|token|api_?key|client_?secret|secret|password|passwd|private_?key|authorization|proxy-?authorization|cookie|set-?cookie|signature|assertion|credentials|x-api-key|apikey";
/** Beside the names of single values: what holds several. */
const secretGroup = /^(credentials|assertion)$/i;

const patterns: readonly (readonly [RegExp, string])[] = [
  [/\b(Bearer|Basic|Digest|Token)\s+[\w.~+/=-]{8,}/gi, `$1 ${HIDDEN}`],
  [/\bsvc_(key|connect_session)_[\w-]{10,}/g, `svc_$1_${HIDDEN}`],
  [/\bwhsec_[\w+/=]{10,}/g, `whsec_${HIDDEN}`],
  [/\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g, HIDDEN],
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(-----END [A-Z ]*PRIVATE KEY-----|$)/g, HIDDEN],
  [/(\b[a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/@"']{1,2000}@/gi, `$1${HIDDEN}@`],
  [new RegExp(`([?&;](?:${SECRET_WORDS}|key|sig|code)=)[^&\\s"'#]+`, "gi"), `$1${HIDDEN}`],
  [
    new RegExp(`(\\\\?["'](?:${SECRET_WORDS})\\\\?["']\\s*:\\s*\\\\?["'])[^"'\\\\]*`, "gi"),
    `$1${HIDDEN}`,
  ],
];

/** Words of an author or a provider, without what looks like a credential. */
export function redactText(text: string): string {
  return patterns.reduce((rest, [pattern, shown]) => rest.replace(pattern, shown), text);
}

/** Values of an author: fields named after a credential lose theirs, texts what looks like one. */
export function redactValue(value: unknown): unknown {
  try {
    const text = JSON.stringify(value, (name, item) => {
      if ((isSecretName(name) || secretGroup.test(name)) && isFilled(item)) return HIDDEN;
      return typeof item === "string" ? redactText(item) : item;
    });
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    // Not JSON: whoever writes the row says so in its place.
    return value;
  }
}

function isFilled(item: unknown): boolean {
  return typeof item === "string" ? item !== "" : typeof item === "object" && item !== null;
}

export function redactMeta(meta: Meta): Meta {
  const shown = redactValue(meta);
  return typeof shown === "object" && shown !== null ? { ...shown } : meta;
}

export function redactError({ type, message, payload, stage, upstream }: LoggedError): LoggedError {
  return {
    type,
    message: redactText(message),
    ...(stage === undefined ? {} : { stage }),
    ...(upstream === undefined
      ? {}
      : { upstream: { status: upstream.status, body: redactText(upstream.body) } }),
    ...(payload === undefined ? {} : { payload: redactValue(payload) }),
  };
}
