import type { TokenResponse } from "@jackfield/catalogue";
import { XMLParser } from "fast-xml-parser";
import { addMs, MINUTE, SECOND } from "#foundation";
import type { EgressResponse } from "#foundation/egress";

export type AnswerFields = Readonly<Record<string, unknown>>;

/** The fields of an answer; its content shows whether it is JSON, a form (as GitHub sends) or XML. */
export function parseTokenAnswer(body: Buffer): Record<string, unknown> | undefined {
  const text = body
    .toString("utf8")
    .replace(/^\uFEFF/, "")
    .trim();
  if (/^[{[]/.test(text)) return parseObject(text);
  if (text.startsWith("<")) return parseXml(text);
  // A form has no markup and no spaces; an HTML page of a broken server has both.
  if (text === "" || !/^[^\s<>=&]+=[^\s<>]*$/.test(text)) return undefined;
  return Object.fromEntries(new URLSearchParams(text));
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    return asRecord(JSON.parse(text));
  } catch {
    return undefined;
  }
}

// Text that starts with { or [ parses to an object or not at all.
function asRecord(value: unknown): Record<string, unknown> {
  return value as Record<string, unknown>;
}

/** A page of a broken server and a document with declarations of its own are no answers. */
function parseXml(text: string): Record<string, unknown> | undefined {
  if (/^<(!doctype|html)/i.test(text) || /<!(DOCTYPE|ENTITY)/i.test(text)) return undefined;
  try {
    const parser = new XMLParser({
      removeNSPrefix: true,
      parseTagValue: false,
      ignoreDeclaration: true,
    });
    return asRecord(parser.parse(text, true));
  } catch {
    return undefined;
  }
}

/** What a token endpoint has answered, as far as it says. */
export interface TokenGrant {
  readonly accessToken: string;
  readonly refreshToken: string | undefined;
  readonly expiresAt: Date | undefined;
  /** The answer's fields as they came. */
  readonly raw: AnswerFields;
}

type TimedAnswer = Pick<EgressResponse, "headers" | "body" | "clockAheadMs">;

/** The tokens of an answer in the shape that the entry names; undefined when there is none. */
export function readGrant(
  response: TimedAnswer,
  answer: AnswerFields | undefined,
  shape: TokenResponse,
  now: Date,
): TokenGrant | undefined {
  const found = readPartialGrant(response, answer, shape, now);
  return found.accessToken === "" ? undefined : found;
}

/** What an answer on the way tells; its token is empty where it brings none. */
export function readPartialGrant(
  response: TimedAnswer,
  answer: AnswerFields | undefined,
  shape: TokenResponse,
  now: Date,
): TokenGrant {
  const find = (paths: readonly string[]) => findFirst(response, answer, shape.root, paths);
  const accessToken = find(shape.access_token);
  const refreshToken = find(shape.refresh_token);
  const hasRefreshToken = typeof refreshToken === "string" && refreshToken !== "";
  return {
    accessToken: typeof accessToken === "string" ? accessToken : "",
    refreshToken: hasRefreshToken ? refreshToken : undefined,
    expiresAt: readExpiry(shape, (path) => find([path]), {
      now,
      aheadMs: response.clockAheadMs ?? 0,
    }),
    raw: answer ?? {},
  };
}

function findFirst(
  response: Pick<EgressResponse, "headers" | "body">,
  answer: AnswerFields | undefined,
  root: string | undefined,
  paths: readonly string[],
): unknown {
  for (const path of paths) {
    // The whole body is the token.
    if (path === "$")
      return response.body
        .toString("utf8")
        .trim()
        .replace(/^"(.*)"$/, "$1");
    const below = root === undefined ? path : `${root}.${path}`;
    const found = path.startsWith("header:")
      ? readHeader(response, path)
      : (readPath(answer, below) ?? readPath(answer, path));
    if (found !== undefined && found !== null && found !== "") return found;
  }
  return undefined;
}

function readHeader({ headers }: Pick<EgressResponse, "headers">, path: string) {
  return [headers[path.slice("header:".length).toLowerCase()]].flat()[0];
}

const EPOCH_SECONDS = 1e9;
const EPOCH_MS = 1e12;

/** The time here, and how far the clock that set an absolute time is ahead of it. */
interface Clocks {
  readonly now: Date;
  readonly aheadMs: number;
}

/**
 * When the token expires, by the clock here. A number beyond any life is a time since 1970, a text may be an ISO date or
 * `D:HH:MM`; an answer that does not say has the life that the entry names, if any.
 */
function readExpiry(
  shape: TokenResponse,
  find: (path: string) => unknown,
  clocks: Clocks,
): Date | undefined {
  for (const path of shape.expires) {
    const found = toExpiry(find(path), shape.expiry_unit, clocks);
    if (found !== undefined) return found;
  }
  return shape.lifetime_s === undefined ? undefined : addMs(clocks.now, shape.lifetime_s * SECOND);
}

const units = { auto: SECOND, seconds: SECOND, milliseconds: 1, minutes: MINUTE } as const;

function toExpiry(
  value: unknown,
  unit: TokenResponse["expiry_unit"],
  { now, aheadMs }: Clocks,
): Date | undefined {
  const toDate = (ms: number) => toTimeHere(ms - aheadMs);
  if (typeof value === "string" && /^\d{4}-\d\d-\d\d/.test(value)) return toDate(Date.parse(value));
  const clock = typeof value === "string" ? /^(\d{1,4}):(\d\d):(\d\d)$/.exec(value) : null;
  if (clock !== null) {
    const [days = 0, hours = 0, minutes = 0] = clock.slice(1).map(Number);
    return addMs(now, ((days * 24 + hours) * 60 + minutes) * MINUTE);
  }
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  if (typeof number !== "number" || !Number.isFinite(number) || number === 0) return undefined;
  if (number < 0) return now;
  if (number > EPOCH_MS) return toDate(number);
  // In milliseconds, a life of 12 days is as large as a time in seconds.
  if (number > EPOCH_SECONDS && unit !== "milliseconds") return toDate(number * SECOND);
  return addMs(now, number * units[unit]);
}

function toTimeHere(ms: number): Date | undefined {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? undefined : date;
}

/** A value at a dotted path; own properties only. */
export function readPath(answer: unknown, path: string): unknown {
  let value: unknown = answer;
  if (path === "" || path === "$") return value;
  for (const step of path.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, step))
      return undefined;
    value = Reflect.get(value, step);
  }
  return value;
}

/** A value at a dotted path or in a header, as the text that connection_config holds. */
export function readCaptured(
  answer: unknown,
  path: string,
  response: Pick<EgressResponse, "headers"> = { headers: {} },
): string | undefined {
  const value = path.startsWith("header:") ? readHeader(response, path) : readPath(answer, path);
  const simple =
    typeof value === "string" || typeof value === "number" || typeof value === "boolean";
  return simple ? String(value) : undefined;
}
