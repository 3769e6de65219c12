import {
  isOwnHeader,
  listReferences,
  type Provider,
  renderOptional,
  type Template,
  TemplateError,
  type TemplateScope,
  type TemplateValues,
} from "@jackfield/catalogue";
import { AppError } from "#foundation";
import type {
  AuthMode,
  AuthSubject,
  BodyFacts,
  Credentials,
  FinalRequest,
  OutgoingBody,
  OutgoingRequest,
} from "../auth-mode.ts";
import { findClient, toClientValues } from "../obtain/oauth-client.ts";
import { proveToken } from "../proof/dpop.ts";
import type { SigningFacts } from "../proof/signing-facts.ts";
import { renderAs } from "./render-as.ts";
import { splitUrl } from "./split-url.ts";
import { toTemplateValues } from "./template-values.ts";

/** A call before the credentials are in it. */
export interface CallDraft {
  readonly method: string;
  /** Absolute address as it will be sent, but for parameters that are added. */
  readonly url: string;
  readonly body: OutgoingBody;
  readonly contentType: string;
  /** What a signature goes by. */
  readonly facts: SigningFacts;
  /** All headers that leave, when these are added to the caller's own; names in lower case. */
  toSentHeaders(added: AddedHeaders): ReadonlyMap<string, string>;
}

/** Headers that the server adds; names in lower case. */
export interface AddedHeaders {
  /** Sent unless the caller sends one of that name. */
  readonly defaults: ReadonlyMap<string, string>;
  /** They carry the credentials. */
  readonly credentials: ReadonlyMap<string, string>;
}

export interface AppliedCredentials extends AddedHeaders {
  readonly url: string;
  readonly body: OutgoingBody;
}

const unfit = {
  code: "integration_misconfigured",
  what: "The credentials cannot be put into the request",
} as const;

/** Puts credentials into a call: what the entry or the mode adds, and last what signs the whole. Tokens go as bearer tokens. */
export function applyCredentials(
  mode: AuthMode,
  subject: AuthSubject,
  credentials: Credentials,
  draft: CallDraft,
): AppliedCredentials {
  return renderAs(unfit, () => {
    const { provider } = subject;
    const { inject } = provider;
    const getValues = once(() => toCallValues(subject, credentials, draft.facts.now));
    const request = toOutgoing(draft);
    if (inject === undefined) mode.apply(subject, credentials, request);
    else addInjected(inject, getValues(), request);
    addEntryQuery(provider, getValues, request);

    const merged = mergeBodyFields(draft, request.bodyFields);
    const url = appendQuery(prependPath(draft.url, request.pathSegments), request.query);
    const defaults = listDefaults(subject, draft.facts.now);
    const headers = new Map([...merged.headers, ...request.headers]);
    addSecretHeaders(provider, getValues, headers);
    requireOwnless(defaults, headers);
    if (inject === undefined && mode.sign === undefined) {
      return { url, body: merged.body, defaults, credentials: headers };
    }
    const final = toFinal(draft, url, merged.body, { defaults, credentials: headers });
    if (inject !== undefined) addComputed(inject.headers, getValues(), final, headers);
    for (const [name, value] of mode.sign?.(subject, credentials, final) ?? []) {
      headers.set(name, value);
    }
    requireOwnless(headers);
    return { url, body: merged.body, defaults, credentials: headers };
  });
}

/** `applyCredentials`, with the proof that a token bound to a key needs. */
export async function applyProven(
  mode: AuthMode,
  subject: AuthSubject,
  credentials: Credentials,
  draft: CallDraft,
): Promise<AppliedCredentials> {
  const applied = applyCredentials(mode, subject, credentials, draft);
  const call = { method: draft.method, url: applied.url };
  const proven = await proveToken(credentials, applied.credentials, call, draft.facts);
  return { ...applied, credentials: proven };
}

/** A name may come from a value of the connection or the integration, which no check of the entry sees. */
function requireOwnless(...groups: readonly ReadonlyMap<string, string>[]): void {
  for (const headers of groups) {
    for (const name of headers.keys()) {
      if (isOwnHeader(name)) throw new TemplateError(`the header ${name} is set by Jackfield`);
    }
  }
}

function once<Value>(make: () => Value): () => Value {
  let made: Value | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

function toCallValues(subject: AuthSubject, credentials: Credentials, now: Date): TemplateValues {
  const client = findClient(subject, credentials);
  return {
    ...toTemplateValues(subject, credentials),
    now,
    ...(client === undefined ? {} : { client: toClientValues(client) }),
  };
}

function toOutgoing({ method, url }: CallDraft): OutgoingRequest {
  return {
    method,
    url,
    headers: new Map(),
    query: new Map(),
    bodyFields: new Map(),
    pathSegments: [],
  };
}

type Inject = NonNullable<Provider["inject"]>;

function addInjected(inject: Inject, values: TemplateValues, request: OutgoingRequest): void {
  const targets = [
    [inject.headers, request.headers],
    [inject.query, request.query],
    [inject.body, request.bodyFields],
  ] as const;
  for (const [templates, target] of targets) {
    for (const [name, template] of Object.entries(templates)) {
      if (names(template, "request")) continue;
      const value = renderOptional(template, values);
      const key = target === request.headers ? name.toLowerCase() : name;
      if (value !== undefined) target.set(key, value);
    }
  }
}

/** Headers that are computed from the request, such as an HMAC of its path and body. */
function addComputed(
  templates: Inject["headers"],
  values: TemplateValues,
  final: FinalRequest,
  headers: Map<string, string>,
): void {
  const request = toRequestValues(final);
  for (const [name, template] of Object.entries(templates)) {
    if (!names(template, "request")) continue;
    const value = renderOptional(template, { ...values, request });
    if (value !== undefined) headers.set(name.toLowerCase(), value);
  }
}

function toRequestValues({ method, url, headers, body }: FinalRequest): Record<string, string> {
  const { host, path, query } = splitUrl(url);
  return {
    method,
    url,
    host,
    path,
    query,
    body: body.kind === "bytes" ? Buffer.from(body.bytes).toString("utf8") : "",
    content_type: headers.get("content-type") ?? "",
  };
}

function names(template: Template, ...scopes: TemplateScope[]): boolean {
  return listReferences(template).some(({ scope }) => scopes.includes(scope));
}

function addEntryQuery(
  { query }: Provider,
  getValues: () => TemplateValues,
  request: OutgoingRequest,
): void {
  const templates = Object.entries(query);
  if (templates.length === 0) return;
  const own = new URL(request.url).searchParams;
  for (const [name, template] of templates) {
    const value = renderOptional(template, getValues());
    if (value !== undefined && !own.has(name)) request.query.set(name, value);
  }
}

/** Headers of the entry with a secret in them are credentials, which the caller's do not replace. */
function addSecretHeaders(
  provider: Provider,
  getValues: () => TemplateValues,
  target: Map<string, string>,
): void {
  for (const [name, template] of listSecretHeaders(provider)) {
    if (target.has(name.toLowerCase())) continue;
    const value = renderOptional(template, getValues());
    if (value !== undefined) target.set(name.toLowerCase(), value);
  }
}

// Kept with its key: read of the provider's entry alone.
const secretHeaders = new WeakMap<Provider, readonly (readonly [string, Template])[]>();

function listSecretHeaders(provider: Provider): readonly (readonly [string, Template])[] {
  let found = secretHeaders.get(provider);
  if (found === undefined) {
    const all = Object.entries(provider.headers);
    found = all.filter(([, template]) => names(template, "credentials", "client"));
    secretHeaders.set(provider, found);
  }
  return found;
}

// Kept with its key: read of the subject alone.
const knownDefaults = new WeakMap<AuthSubject, ReadonlyMap<string, string>>();

/** The entry's other headers; those that are the same for each call are rendered once for a subject. */
function listDefaults(subject: AuthSubject, now: Date): ReadonlyMap<string, string> {
  const known = knownDefaults.get(subject);
  if (known !== undefined) return known;
  const values = { ...toTemplateValues(subject), now };
  const defaults = new Map<string, string>();
  let isLasting = true;
  for (const [name, template] of Object.entries(subject.provider.headers)) {
    if (names(template, "credentials", "client")) continue;
    const value = renderOptional(template, values);
    if (value !== undefined) defaults.set(name.toLowerCase(), value);
    isLasting &&= !/\(/.test(template.text);
  }
  if (isLasting) knownDefaults.set(subject, defaults);
  return defaults;
}

function toFinal(
  draft: CallDraft,
  url: string,
  body: OutgoingBody,
  added: AddedHeaders,
): FinalRequest {
  const { method, facts } = draft;
  return { method, url, headers: draft.toSentHeaders(added), body, now: facts.now };
}

/** Puts segments between an address's host and its path; the rest stays as it is written. */
function prependPath(url: string, segments: readonly string[]): string {
  if (segments.length === 0) return url;
  const [origin = ""] = /^https?:\/\/[^/?]*/i.exec(url) ?? [];
  // RFC 3986 allows a colon in a segment, and Telegram's tokens have one.
  const added = segments.map((text) => encodeURIComponent(text).replaceAll("%3A", ":")).join("/");
  return `${origin}/${added}${url.slice(origin.length)}`;
}

/** Adds parameters behind the query that an address has. */
export function appendQuery(url: string, query: ReadonlyMap<string, string>): string {
  if (query.size === 0) return url;
  const added = [...query].map((pair) => pair.map(encodeURIComponent).join("=")).join("&");
  const separator = url.includes("?") ? (/[?&]$/.test(url) ? "" : "&") : "?";
  return `${url}${separator}${added}`;
}

/** Whether the call's body has to be in memory: something is computed from it or put into it. */
export function readsBody(mode: AuthMode, subject: AuthSubject, facts: BodyFacts): boolean {
  const { inject } = subject.provider;
  if (inject === undefined) return mode.readsBody?.(subject, facts) === true;
  const computes = Object.values(inject.headers).some((template) =>
    listReferences(template).some(({ scope, name }) => scope === "request" && name === "body"),
  );
  const signs = mode.sign !== undefined && mode.readsBody?.(subject, facts) === true;
  return computes || signs || Object.keys(inject.body).length > 0;
}

/** Whether calls need the integration's own credentials, which otherwise stay sealed. */
export function needsClientForCalls(mode: AuthMode, provider: Provider): boolean {
  if (mode.signsWithClient === true) return true;
  const { headers, inject, query, integration_config: fields } = provider;
  const groups = [headers, query, ...(inject === undefined ? [] : Object.values(inject))];
  return groups
    .flatMap((group) => Object.values(group).flatMap(listReferences))
    .some(
      ({ scope, name }) =>
        scope === "client" || (scope === "integration" && fields[name]?.secret === true),
    );
}

/** Whether the credentials are put into a call without a look at its body or its final form. */
export function isPlainCall(mode: AuthMode, subject: AuthSubject): boolean {
  const { provider } = subject;
  if (mode.sign !== undefined || needsClientForCalls(mode, provider)) return false;
  if (mode.readsBody?.(subject, { method: "POST", contentType: "" }) === true) return false;
  const { inject } = provider;
  if (inject === undefined) return true;
  const isComputed = Object.values(inject.headers).some((template) => names(template, "request"));
  return !isComputed && Object.keys(inject.body).length === 0;
}

interface MergedBody {
  readonly body: OutgoingBody;
  readonly headers: ReadonlyMap<string, string>;
}

/** The body with credentials in it: fields of a form or of a JSON object. */
function mergeBodyFields(
  { body, contentType, method }: { body: OutgoingBody; contentType: string; method: string },
  fields: ReadonlyMap<string, string>,
): MergedBody {
  if (fields.size === 0 || method === "GET" || method === "HEAD")
    return { body, headers: new Map() };
  const added = Object.fromEntries(fields);
  if (body.kind === "none") {
    const json = Buffer.from(JSON.stringify(added));
    const headers = new Map([["content-type", "application/json"]]);
    return { body: { kind: "bytes", bytes: json }, headers };
  }
  if (body.kind === "stream") {
    throw new AppError(
      "request_too_large",
      "This provider takes its credentials in the body, which is too large to be rewritten.",
    );
  }
  const text = Buffer.from(body.bytes).toString("utf8");
  const merged = /^application\/x-www-form-urlencoded\b/i.test(contentType)
    ? mergeForm(text, added)
    : mergeJson(text, added);
  return { body: { kind: "bytes", bytes: Buffer.from(merged) }, headers: new Map() };
}

function mergeForm(text: string, added: Readonly<Record<string, string>>): string {
  const form = new URLSearchParams(text);
  for (const [name, value] of Object.entries(added)) form.set(name, value);
  return form.toString();
}

function mergeJson(text: string, added: Readonly<Record<string, string>>): string {
  const parsed = parseJson(text);
  if (typeof parsed === "object" && parsed !== null && !Array.isArray(parsed)) {
    return JSON.stringify({ ...parsed, ...added });
  }
  throw new AppError(
    "invalid_body",
    "This provider takes its credentials in the body: send a form or a JSON object.",
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
