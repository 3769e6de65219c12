import type { IncomingMessage } from "node:http";
import type { NameAliases } from "#foundation/http";
import { respell } from "./spelling.ts";

/**
 * Accepts every name of `names` under the operator's word too. Where both spellings are sent, the contract's
 * counts. Nothing of this runs without SVC_COMPAT_PREFIX.
 */
export function createNameAliases(word: string): NameAliases {
  const alias = (name: string) => respell(name, word);
  const headers = names.headers.map((own) => ({ own, alias: alias(own) }));
  const tokens = names.tokens.map((own) => ({ own, alias: alias(own) }));
  const agents = names.userAgents.map((own) => ({ own, alias: alias(own) }));
  const renameHeaders = (request: IncomingMessage): void => {
    renameNames(request, headers);
    rewriteHeader(request, "authorization", (text) => {
      const start = Math.max(text.lastIndexOf(" "), text.lastIndexOf("\t")) + 1;
      return text.slice(0, start) + replaceStart(text.slice(start), tokens);
    });
    rewriteHeader(request, "user-agent", (text) => replaceStart(text, agents));
  };
  return {
    renameHeaders,
    spellingsOf: (name) => (/^(x-)?svc-/i.test(name) ? [name, alias(name)] : [name]),
    renameRequest(request) {
      renameHeaders(request.raw);
      const query = asRecord(request.query);
      if (query === undefined) return;
      renameKeys(query, names.query, word);
      rewriteTexts(query, names.queryTokens, (text) => replaceStart(text, tokens));
      for (const [key, values] of Object.entries(names.queryValues)) {
        rewriteTexts(query, [key], (text) => ownValue(text, values, word));
      }
    },
    renameBody(body) {
      const fields = asRecord(body);
      if (fields === undefined) return body;
      renameKeys(fields, names.body, word);
      rewriteTexts(fields, names.bodyTokens, (text) => replaceStart(text, tokens));
      return fields;
    },
    widenError: (error) => ({ ...error, ...furtherDetails(error["errors"]) }),
  };
}

interface Spelled {
  readonly own: string;
  readonly alias: string;
}

function renameNames(raw: IncomingMessage, spelled: readonly Spelled[]): void {
  const present = new Set(Object.keys(raw.headers));
  for (const name of present) {
    const found = spelled.find(({ alias }) => name.startsWith(alias));
    if (found === undefined) continue;
    const own = found.own + name.slice(found.alias.length);
    if (!present.has(own)) raw.headers[own] = raw.headers[name];
    delete raw.headers[name];
  }
  for (let index = raw.rawHeaders.length - 2; index >= 0; index -= 2) {
    const name = raw.rawHeaders[index] ?? "";
    const found = spelled.find(({ alias }) => name.toLowerCase().startsWith(alias));
    if (found === undefined) continue;
    const own = found.own + name.slice(found.alias.length);
    if (present.has(own.toLowerCase())) raw.rawHeaders.splice(index, 2);
    else raw.rawHeaders[index] = own;
  }
}

function rewriteHeader(
  raw: IncomingMessage,
  name: "authorization" | "user-agent",
  change: (text: string) => string,
): void {
  const text = raw.headers[name];
  if (text !== undefined) raw.headers[name] = change(text);
}

function replaceStart(text: string, spelled: readonly Spelled[]): string {
  const found = spelled.find(({ alias }) => text.startsWith(alias));
  return found === undefined ? text : found.own + text.slice(found.alias.length);
}

function renameKeys(
  fields: Record<string, unknown>,
  ownNames: readonly string[],
  word: string,
): void {
  for (const own of ownNames) {
    const alias = respell(own, word);
    if (!Object.hasOwn(fields, alias)) continue;
    if (!Object.hasOwn(fields, own)) fields[own] = fields[alias];
    delete fields[alias];
  }
}

function rewriteTexts(
  fields: Record<string, unknown>,
  keys: readonly string[],
  change: (text: string) => string,
): void {
  for (const key of keys) {
    const value = fields[key];
    if (typeof value === "string") fields[key] = change(value);
  }
}

function ownValue(
  text: string,
  values: Readonly<Record<string, string | undefined>>,
  word: string,
): string {
  const found = Object.entries(values).find(
    ([own, spelled]) => text === (spelled ?? respell(own, word)),
  );
  return found?.[0] ?? text;
}

/** `payload` and `upstream` of clients that look for them next to `errors`. */
function furtherDetails(errors: unknown): Record<string, unknown> {
  const first = asRecord(Array.isArray(errors) ? errors[0] : undefined);
  if (first === undefined) return { payload: {} };
  if (Array.isArray(first["path"])) return {};
  const upstream = asRecord(first["upstream"]);
  if (upstream === undefined) return { payload: first };
  return { payload: upstream["body"] ?? {}, upstream };
}

function asRecord(value: unknown): Record<string, unknown> | undefined {
  const isRecord = typeof value === "object" && value !== null && !Array.isArray(value);
  return isRecord ? Object(value) : undefined;
}

/** Every name on the wire that is built on `svc`, by its position. */
const names = {
  /** Beginnings of request headers. */
  headers: ["svc-", "x-svc-"],
  /** Beginnings of tokens and keys. */
  tokens: ["svc_connect_session_", "svc_agent_", "svc_key_", "svc_sbx_v1_"],
  /** Beginning of the command line's user agent. */
  userAgents: ["svc-cli/"],
  query: ["svcConnectionId", "svc_debug"],
  /** Query parameters that hold a token. */
  queryTokens: ["connect_session_token", "session_token"],
  /** First level of a body. */
  body: ["svcConnectionId", "svcYamlBody", "svc"],
  /** Fields of a body that hold a token. */
  bodyTokens: ["token"],
  /** Values of query parameters; `llm` has a spelling of its own in clients of that kind. */
  queryValues: { format: { svc: undefined, llm: "openai" } },
} as const;
