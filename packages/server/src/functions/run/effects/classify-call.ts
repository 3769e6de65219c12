import type { RequestEffects } from "@jackfield/catalogue";
import type { Call } from "#foundation/sandbox";
import { isReadingDocument } from "./graphql-document.ts";

/** What decides for a request to the run's own provider besides its method. */
export interface OwnProvider {
  readonly integrationKey: string;
  readonly effects: RequestEffects | undefined;
}

/** Calls that leave nothing changed beyond the run itself: its own checkpoints and locks are its memory. */
const harmless: ReadonlySet<string> = new Set([
  "log",
  "reportProgress",
  "elicit",
  "getConnection",
  "getEnvironmentVariables",
  "getIntegration",
  "getPagination",
  "getCheckpoint",
  "saveCheckpoint",
  "clearCheckpoint",
  "tryAcquireLock",
  "releaseLock",
  "releaseAllLocks",
  "noteMoments",
]);

/** Headers and parameters by which servers take another method than the one that was sent. */
const overrides = /^(x-http-method(-override)?|x-method-override|_method)$/i;

/** Whether a call changes something at a provider, in another system or in the environment. */
export function changesSomething({ method, params, body }: Call, own: OwnProvider): boolean {
  if (harmless.has(method)) return false;
  if (method !== "proxy" && method !== "fetch") return true;
  const request = readRequest(params);
  if (request === undefined || request.hidesMethod) return true;
  if (method === "proxy") {
    const known = ruleOf(request, own);
    if (known === "reads") return false;
    if (known === "graphql") return !isReadingDocument(request, body);
    if (known === "writes") return true;
  }
  return !/^(get|head)$/i.test(request.method);
}

interface Request {
  readonly method: string;
  readonly path: string | undefined;
  readonly query: readonly (readonly [string, string])[];
  readonly integrationKey: string | undefined;
  readonly isElsewhere: boolean;
  readonly hidesMethod: boolean;
}

function readRequest(params: unknown): Request | undefined {
  const given: Record<string, unknown> = { ...Object(params) };
  const { method, endpoint, url } = given;
  const address = typeof endpoint === "string" ? endpoint : url;
  if (typeof method !== "string" || typeof address !== "string") return undefined;
  const isRelative = /^\/?(?![a-z][a-z0-9+.-]*:|\/)/i.test(address) && !address.includes("\\");
  const parsed = isRelative ? URL.parse(address.replace(/^\/?/, "/"), "https://x.invalid") : null;
  const other = URL.parse(address);
  const extra = Array.isArray(given["query"]) ? given["query"].map(toPair) : [];
  const query = [...((parsed ?? other)?.searchParams.entries() ?? []), ...extra];
  const names = [...headerNames(given["headers"]), ...query.map(([name]) => name)];
  const { providerConfigKey } = given;
  return {
    ...{ method, query, path: parsed?.pathname },
    integrationKey: typeof providerConfigKey === "string" ? providerConfigKey : undefined,
    isElsewhere: given["baseUrlOverride"] !== undefined,
    hidesMethod: names.some((name) => overrides.test(name.trim())),
  };
}

function headerNames(headers: unknown): string[] {
  if (Array.isArray(headers)) return headers.map((pair) => toPair(pair)[0]);
  return Object.keys({ ...Object(headers) });
}

function toPair(pair: unknown): readonly [string, string] {
  const [name, value] = Array.isArray(pair) ? pair : [];
  return [String(name), String(value)];
}

/** Rules are about paths below the provider's own base URL. */
function ruleOf(
  { path, isElsewhere, integrationKey }: Request,
  { integrationKey: ownKey, effects }: OwnProvider,
): keyof RequestEffects | undefined {
  if (effects === undefined) return undefined;
  // What cannot be compared has the strictest rule that there is.
  const isOther = isElsewhere || path === undefined;
  if (integrationKey !== undefined && integrationKey !== ownKey) return undefined;
  if (isOther) return effects.writes.length > 0 ? "writes" : undefined;
  const has = (patterns: readonly string[]) => patterns.some((each) => matches(each, path));
  if (has(effects.reads)) return "reads";
  if (has(effects.graphql)) return "graphql";
  return has(effects.writes) ? "writes" : undefined;
}

/** Without an expression: a pattern of an environment's own may not cost more than its length. */
function matches(pattern: string, path: string): boolean {
  const wanted = pattern.split("/");
  const given = path.split("/");
  return (
    wanted.length === given.length &&
    wanted.every((segment, index) => matchesSegment(segment, given[index] ?? ""))
  );
}

/** Whether a part of a path is of the form, in which `*` is any characters. */
export function matchesSegment(pattern: string, text: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  if (rest.length === 0) return pattern === text;
  // An encoded slash may be one for the provider.
  if (/%2f|%5c/i.test(text) || !text.startsWith(first)) return false;
  let at = first.length;
  const last = rest.pop() ?? "";
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last) && text.length > first.length;
}
