import { isSecretName } from "@jackfield/contract/secret-names";
import { boundText, boundValue } from "./bound-value.ts";
import type { LoggedError, LoggedRequest, LoggedResponse, Meta } from "./operation.ts";

const HIDDEN = "[redacted]";
/** Of a message, an address, a header, and of the texts of an error. */
export const MAX_TEXT_CHARACTERS = 10_000;
const MAX_HEADERS = 200;

/** The address without what may hold a credential: user and password, query, fragment. */
export function redactUrl(url: string): string {
  if (!/[?#@]/.test(url)) return boundText(url, MAX_TEXT_CHARACTERS);
  const [address = ""] = boundText(url, MAX_TEXT_CHARACTERS).split(/[?#]/, 1);
  return address.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/]*@/i, "$1");
}

/** Headers are shown by name; values only of headers that cannot be secret. */
const openHeaders =
  /^(accept|accept-language|cache-control|content-length|content-type|content-encoding|date|etag|host|last-modified|link|location-hint|retry-after|server|user-agent|vary|x-request-id|request-id|x-rate-?limit-[a-z-]+|ratelimit(-[a-z]+)?)$/i;

function redactHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers)
      .slice(0, MAX_HEADERS)
      .map(([name, value]) => [
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

/** Cursors of lists, which readers of a log need. */
const PAGE_WORDS = "[\\w-]{0,40}(?:page|next|prev|previous|sync|cursor|continuation)[-_]?token";

const SECRET_WORDS =
  "access_?token|refresh_?token|id_?token|auth_?token|token|api_?key|client_?secret|secret|password|passwd|private_?key|authorization|proxy-?authorization|cookie|set-?cookie|signature|assertion|credentials|x-api-key|apikey";
/** Next to the names of single values: what holds several. */
const secretGroup = /^(credentials|assertion)$/i;

const patterns: readonly (readonly [RegExp, string])[] = [
  [/\b(Bearer|Basic|Digest|Token)\s+[\w.~+/=-]{8,}/gi, `$1 ${HIDDEN}`],
  [/svc_(key|connect_session)_[\w-]{10,}/g, `svc_$1_${HIDDEN}`],
  [/\bwhsec_[\w+/=]{10,}/g, `whsec_${HIDDEN}`],
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(-----END [A-Z ]*PRIVATE KEY-----|$)/g, HIDDEN],
  [/:\/\/[^\s/@"']+@/g, `://${HIDDEN}@`],
  [new RegExp(`([?&;](?:${SECRET_WORDS}|key|sig|code)=)[^&\\s"'#]+`, "gi"), `$1${HIDDEN}`],
  [
    new RegExp(
      `(\\\\?["'](?!${PAGE_WORDS})(?:[\\w-]{0,40}[-_])?(?:${SECRET_WORDS})\\\\?["']\\s*:\\s*\\\\?["'])[^"'\\\\]*`,
      "gi",
    ),
    `$1${HIDDEN}`,
  ],
];

/** Words of an author or a provider, cut to 10,000 characters, without what looks like a credential. */
export function redactText(words: string): string {
  return redactSecrets(boundText(words, MAX_TEXT_CHARACTERS));
}

/** `redactText` for texts of any length. */
export function redactSecrets(text: string): string {
  const withoutTokens = text.includes("eyJ") ? text.replace(/[\w.-]+/g, redactJwt) : text;
  const withoutHeaders = withoutTokens.includes(":")
    ? withoutTokens.replace(/[^\r\n]+/g, redactHeaderLine)
    : withoutTokens;
  return patterns.reduce((rest, [pattern, shown]) => rest.replace(pattern, shown), withoutHeaders);
}

const MAX_NAME_CHARACTERS = 64;
const MIN_VALUE_CHARACTERS = 8;

/**
 * A line without the value of a header that carries a credential. Read from its colons instead of matched: a pattern
 * would look for the name from each character.
 */
function redactHeaderLine(line: string): string {
  for (let at = line.indexOf(":"); at !== -1; at = line.indexOf(":", at + 1)) {
    if (!isSecretHeader(wordBefore(line, at).toLowerCase())) continue;
    const value = /^[^"'\\]*/.exec(line.slice(at + 1))?.[0] ?? "";
    if (value.trim().length < MIN_VALUE_CHARACTERS) continue;
    return `${line.slice(0, at + 1)} ${HIDDEN}${line.slice(at + 1 + value.length)}`;
  }
  return line;
}

/** The word that ends before the place, or before one space there. */
function wordBefore(line: string, at: number): string {
  const end = line[at - 1] === " " ? at - 1 : at;
  let start = end;
  while (start > 0 && end - start < MAX_NAME_CHARACTERS && /[\w-]/.test(line[start - 1] ?? "")) {
    start -= 1;
  }
  return line.slice(start, end);
}

const secretHeaders = new Set([
  "authorization",
  "proxy-authorization",
  "cookie",
  "set-cookie",
  "api-key",
  "apikey",
]);

function isSecretHeader(name: string): boolean {
  if (secretHeaders.has(name)) return true;
  return name.startsWith("x-") && /(?:key|token|secret|signature|password)$/.test(name);
}

/**
 * A word with a JSON web token in it, without that. Split instead of matched: each `eyJ` of a word might begin one, and
 * a pattern would look for its end from each of them.
 */
function redactJwt(word: string): string {
  const parts = word.split(".");
  const first = parts.findIndex((part, index) => {
    const start = part.indexOf("eyJ");
    const isLong = start !== -1 && part.length - start >= 11;
    return isLong && (parts[index + 1]?.length ?? 0) >= 8 && index + 2 < parts.length;
  });
  if (first === -1) return word;
  const [before = ""] = parts[first]?.split("eyJ", 1) ?? [];
  return [...parts.slice(0, first), `${before}${HIDDEN}`].join(".");
}

/** Values of an author, bounded: fields named after a credential lose theirs, texts what looks like one. */
export function redactValue(given: unknown): unknown {
  const value = boundValue(given);
  try {
    const text = JSON.stringify(value, (name, item) => {
      if ((isSecretName(name) || secretGroup.test(name)) && isFilled(item)) return HIDDEN;
      return typeof item === "string" ? redactSecrets(item) : item;
    });
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    // Not JSON: the code that writes the row says so in its place.
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
