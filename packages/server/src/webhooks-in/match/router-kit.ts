import { type BinaryToTextEncoding, createHmac, timingSafeEqual } from "node:crypto";
import { requireModestJson } from "./body-shape.ts";
import {
  type InboundEvent,
  type InboundRequest,
  type Match,
  type Proof,
  type Router,
  UnreadableWebhook,
  type WebhookKeys,
} from "./router.ts";

/** Equal texts, compared in a time that tells nothing of where they differ. */
export function isSame(expected: string | Buffer, given: string | Buffer): boolean {
  const [a, b] = [Buffer.from(expected), Buffer.from(given)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** A token whose parts are spelled in the one way that base64url has for their bytes. */
export function isCanonical(token: string): boolean {
  return token
    .split(".")
    .every((part) => Buffer.from(part, "base64url").toString("base64url") === part);
}

export interface HmacScheme {
  readonly header: string;
  readonly algorithm?: "sha1" | "sha256" | "sha512";
  readonly encoding?: BinaryToTextEncoding;
  /** Comes before the signature in the header, like `sha256=`. */
  readonly prefix?: string;
  /** What is signed; the body where it is left out. */
  readonly signed?: (request: InboundRequest) => Buffer | undefined;
  /** Seconds since the epoch, and how far off they may be. */
  readonly sentAt?: (request: InboundRequest) => number;
  readonly toleranceMs?: number;
  readonly required?: true;
  readonly secret?: (keys: WebhookKeys) => string | undefined;
  /** The key of the HMAC, from the secret as it was entered. */
  readonly key?: (secret: string) => Buffer;
}

export const webhookSecret = (keys: WebhookKeys): string | undefined => keys.webhookSecret;
export const clientSecret = (keys: WebhookKeys): string | undefined => keys.clientSecret;
/** Some vendors sign with the OAuth client's secret unless a secret of its own is set. */
export const eitherSecret = (keys: WebhookKeys): string | undefined =>
  keys.webhookSecret ?? keys.clientSecret;
export const connectionSecret = (keys: WebhookKeys): string | undefined => keys.connectionSecret;

/** Not what every object has under such a name. */
export function ownHeader({ headers }: InboundRequest, name: string): string | undefined {
  return Object.hasOwn(headers, name) ? headers[name] : undefined;
}

/** A header that holds an HMAC (RFC 2104). */
export function hmacProof(scheme: HmacScheme): Proof {
  const { header, algorithm = "sha256", encoding = "hex", prefix = "", required } = scheme;
  return {
    ...(required && { required }),
    secret: scheme.secret ?? webhookSecret,
    isSigned: (request) => ownHeader(request, header) !== undefined,
    isGenuine: (request, secret, { now }) => {
      const given = ownHeader(request, header);
      const signed = scheme.signed === undefined ? request.body : scheme.signed(request);
      if (given === undefined || signed === undefined) return false;
      if (scheme.sentAt && !isRecent(scheme.sentAt(request), now, scheme.toleranceMs)) return false;
      const key = scheme.key?.(secret) ?? secret;
      if (key.length === 0) return false;
      const signature = createHmac(algorithm, key).update(signed).digest(encoding);
      return isSame(`${prefix}${signature}`, given);
    },
  };
}

const TOLERANCE_MS = 300_000;

/** Neither older nor newer than the tolerance: what was recorded cannot be sent again later. */
export function isRecent(sentAt: number, now: Date, toleranceMs: number = TOLERANCE_MS): boolean {
  return Math.abs(now.getTime() - sentAt * 1000) <= toleranceMs;
}

/** Seconds since the epoch of a header; not a number where it is missing or something else. */
export function secondsIn(header: string): (request: InboundRequest) => number {
  return ({ headers }) => Number(headers[header] || Number.NaN);
}

/** Text and body as one run of bytes; undefined where a part is missing. */
export function joined(
  ...parts: ((request: InboundRequest) => string | Buffer | undefined)[]
): (request: InboundRequest) => Buffer | undefined {
  return (request) => {
    const values: Buffer[] = [];
    for (const part of parts) {
      const value = part(request);
      if (value === undefined) return undefined;
      values.push(Buffer.from(value));
    }
    return Buffer.concat(values);
  };
}

export const bodyOf = (request: InboundRequest): Buffer => request.body;
export const header =
  (name: string) =>
  (request: InboundRequest): string | undefined =>
    request.headers[name];
export const literal = (text: string) => (): string => text;

/** `t=1700000000,v1=ab12` and the like; a name may come several times. */
export function readPairs(text: string | undefined): { name: string; value: string }[] {
  return (text ?? "").split(",").map((pair) => {
    const at = pair.indexOf("=");
    return { name: pair.slice(0, at).trim(), value: pair.slice(at + 1).trim() };
  });
}

/** A header of pairs: the time `t`, and one or several signatures `v1` over `<t>.<body>`. */
export function timedPairsProof(options: {
  readonly header: string;
  readonly toleranceMs?: number;
}): Proof {
  return {
    secret: webhookSecret,
    isSigned: ({ headers }) => headers[options.header] !== undefined,
    isGenuine: ({ headers, body }, secret, { now }) => {
      const pairs = readPairs(headers[options.header]);
      const time = pairs.find(({ name }) => name === "t")?.value ?? "";
      if (time === "" || !isRecent(Number(time), now, options.toleranceMs)) return false;
      const signature = createHmac("sha256", secret).update(`${time}.`).update(body).digest("hex");
      return pairs.some(({ name, value }) => name === "v1" && isSame(signature, value));
    },
  };
}

/** Standard Webhooks: `webhook-id`, `webhook-timestamp`, `webhook-signature`. */
export function standardProof(secret: Proof["secret"] = webhookSecret): Proof {
  return {
    secret,
    isSigned: ({ headers }) => headers["webhook-signature"] !== undefined,
    isGenuine: ({ headers, body }, key, { now }) => {
      const id = headers["webhook-id"];
      const time = headers["webhook-timestamp"];
      if (!id || !time || !isRecent(Number(time), now)) return false;
      const bytes = key.startsWith("whsec_") ? Buffer.from(key.slice(6), "base64") : key;
      if (bytes.length === 0) return false;
      const signature = createHmac("sha256", bytes)
        .update(`${id}.${time}.`)
        .update(body)
        .digest("base64");
      const given = (headers["webhook-signature"] ?? "").split(/[ ,]+/);
      return given.some((each, at) => given[at - 1] === "v1" && isSame(signature, each));
    },
  };
}

/** A header whose value is the secret itself. */
export function tokenProof(options: {
  readonly header: string;
  readonly secret?: Proof["secret"];
  readonly required?: true;
}): Proof {
  return {
    ...(options.required && { required: true }),
    secret: options.secret ?? webhookSecret,
    isSigned: ({ headers }) => headers[options.header] !== undefined,
    isGenuine: ({ headers }, secret) => isSame(secret, headers[options.header] ?? ""),
  };
}

// What names a connection, an event or a type is never longer.
const MAX_TEXT = 2048;

export type JsonObject = Readonly<Record<string, unknown>>;

/** The body as a JSON object. */
export function readObject(request: InboundRequest): JsonObject {
  const value = readJson(request);
  if (!isObject(value)) throw new UnreadableWebhook("the body has to be a JSON object");
  return value;
}

/** The body as a JSON object or a list of them. */
export function readObjects(request: InboundRequest): JsonObject[] {
  return objectsIn(readJson(request));
}

export function objectsIn(value: unknown): JsonObject[] {
  const list: unknown[] = Array.isArray(value) ? value : [value];
  return list.map((each) => {
    if (!isObject(each)) throw new UnreadableWebhook("the body has to hold JSON objects");
    return each;
  });
}

export function readJson({ body }: InboundRequest): unknown {
  requireModestJson(body);
  const text = body.toString("utf8").replace(/^\uFEFF/, "");
  try {
    return JSON.parse(text);
  } catch {
    throw new UnreadableWebhook("the body has to be JSON");
  }
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value at a path of names, own properties only. */
export function at(value: unknown, ...path: string[]): unknown {
  let found = value;
  for (const name of path) {
    found = isObject(found) && Object.hasOwn(found, name) ? found[name] : undefined;
  }
  return found;
}

const LIST_INDEX = /^\d{1,4}$/;

/** The value at a place: `header:<name>`, `query:<name>`, or names and list indexes in the payload, with dots between. */
export function valueAt(
  place: string,
  { request, payload }: { request: InboundRequest; payload: unknown },
): unknown {
  if (place.startsWith("header:")) return ownHeader(request, place.slice(7).toLowerCase());
  if (place.startsWith("query:")) return own(request.query, place.slice(6));
  let found = payload;
  for (const name of place.split(".")) {
    if (Array.isArray(found)) found = LIST_INDEX.test(name) ? found[Number(name)] : undefined;
    else found = isObject(found) ? own(found, name) : undefined;
  }
  return found;
}

function own(values: JsonObject, name: string): unknown {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}

/** Texts and numbers as text; undefined for all else: what is empty, or what Postgres cannot hold. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === "number" && Number.isFinite(value)) return String(value);
  if (typeof value !== "string" || value === "" || value.length > MAX_TEXT) return undefined;
  return value.includes("\0") || !value.isWellFormed() ? undefined : value;
}

/** The texts among values, each once. */
export function texts(...values: unknown[]): string[] {
  const found = values.map(textOf).filter((value) => value !== undefined);
  return [...new Set(found)];
}

// A request of one event tells of no more kinds of things.
const MAX_TEXTS = 100;

/** The first texts among the members of a list of any length, each once. */
export function textsIn(list: unknown, read: (member: unknown) => unknown): string[] {
  const found = new Set<string>();
  for (const member of Array.isArray(list) ? list : []) {
    const text = textOf(read(member));
    if (text !== undefined) found.add(text);
    if (found.size === MAX_TEXTS) break;
  }
  return [...found];
}

/** An event's id made of several values; undefined where one is missing, for the rest may be another event's too. */
export function idOf(separator: string, ...values: unknown[]): string | undefined {
  const parts = values.map(textOf);
  return parts.includes(undefined) ? undefined : parts.join(separator);
}

/** Queries for the values that are present. */
export function matches(...wanted: [property: Match["property"], value: unknown][]): Match[] {
  return wanted.flatMap(([property, value]) => {
    const text = textOf(value);
    return text === undefined ? [] : [{ property, value: text }];
  });
}

/** A router of one event a request, whose body is a JSON object. */
export function singleEvent(
  read: (body: JsonObject, request: InboundRequest) => Omit<InboundEvent, "payload">,
): Router["read"] {
  return (request) => {
    const payload = readObject(request);
    return [{ payload, ...read(payload, request) }];
  };
}

/** What the address or the body names as connection, for vendors whose events name no account. */
export function namedConnection({ query }: InboundRequest, body?: JsonObject): Match[] {
  return matches(["connectionId", query["svcConnectionId"] ?? body?.["svcConnectionId"]]);
}
