import type { Provider } from "../schema.ts";
import type { Template } from "../templates/template.ts";

/** Headers that route or frame a message, or end at the next hop (RFC 9110, 7.6.1); only the server sets them. */
const ownHeaders: ReadonlySet<string> = new Set([
  "host",
  "content-length",
  "transfer-encoding",
  "connection",
  "keep-alive",
  "proxy-connection",
  "proxy-authenticate",
  "proxy-authorization",
  "te",
  "trailer",
  "upgrade",
  "expect",
  "http2-settings",
]);

/** Whether no entry, integration or credential may set the header; the name in lower case. */
export function isOwnHeader(name: string): boolean {
  return ownHeaders.has(name);
}

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,255}$/;

/** Why a header of this name may not be sent; undefined where it may. */
export function findHeaderFault(name: string): string | undefined {
  if (!token.test(name)) return `"${name.slice(0, 32)}" is not the name of a header`;
  return isOwnHeader(name.toLowerCase()) ? `${name} is set by Jackfield` : undefined;
}

/** What is wrong with the names of the headers that an entry sends, wherever it lists some. */
export function checkHeaders(provider: Provider): string[] {
  const named = listHeaders(provider);
  const keys = "api_key" in provider ? provider.api_key : [];
  const inHeader = keys.filter(({ name, placement }) => {
    return isLiteral(name) && !["query", "body", "path"].includes(placement.text);
  });
  return [...named, ...inHeader.map(({ name }) => ["api_key.name", name.text] as const)].flatMap(
    ([path, name]) => {
      const fault = findHeaderFault(name);
      return fault === undefined ? [] : [`${path}: ${fault}`];
    },
  );
}

function isLiteral({ parts }: Template): boolean {
  return parts.every((part) => typeof part === "string");
}

function listHeaders(value: unknown, path = ""): (readonly [path: string, name: string])[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const at = path === "" ? key : `${path}.${key}`;
    if (!/(^|_)headers$/.test(key)) return listHeaders(inner, at);
    return Object.keys(Object(inner)).map((name) => [at, name] as const);
  });
}
