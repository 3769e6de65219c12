import type { TokenResponse } from "@jackfield/catalogue";
import { toSteps } from "../samples/next-page.ts";
import { writeXml } from "./read-xml.ts";

/** What a vendor answers; the body is sent as it is. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

export function replyJson(value: unknown, status = 200, headers: Reply["headers"] = {}): Reply {
  const type = { "content-type": "application/json" };
  return { status, headers: { ...type, ...headers }, body: JSON.stringify(value) };
}

export interface TokenFacts {
  readonly accessToken?: string | undefined;
  readonly refreshToken?: string | undefined;
  /** Life in seconds; the answer is silent where the entry names a fixed life. */
  readonly lifetimeSeconds: number;
  /** Further values, by path or `header:<name>`. */
  readonly reported: ReadonlyMap<string, string>;
  readonly format: "json" | "xml" | "form";
}

/** A token answer in the shape that the entry describes. */
export function writeTokenAnswer(shape: TokenResponse, facts: TokenFacts): Reply {
  const answer: Record<string, unknown> = {};
  const headers: Record<string, string> = {};
  let whole: string | undefined;
  const put = (path: string, value: unknown, { isTop = false } = {}) => {
    const root = isTop ? undefined : shape.root;
    if (path === "$") whole = String(value);
    else if (path.startsWith("header:")) headers[path.slice("header:".length)] = String(value);
    else setPath(answer, root === undefined ? path : `${root}.${path}`, value);
  };
  if (facts.accessToken !== undefined)
    put(shape.access_token[0] ?? "access_token", facts.accessToken);
  if (facts.refreshToken !== undefined && shape.refresh_token[0] !== undefined) {
    put(shape.refresh_token[0], facts.refreshToken);
  }
  const expires = shape.expires[0];
  if (shape.lifetime_s === undefined && expires !== undefined) {
    put(expires, writeExpiry(shape, expires, facts.lifetimeSeconds));
  }
  if (shape.success !== undefined)
    put(shape.success.path, writeScalar(shape.success.equals), { isTop: true });
  for (const [path, value] of facts.reported) put(path, value, { isTop: true });
  if (whole !== undefined) return { status: 200, headers, body: whole };
  return write(answer, headers, facts.format);
}

function write(
  answer: Record<string, unknown>,
  headers: Reply["headers"],
  format: TokenFacts["format"],
): Reply {
  if (format === "xml") {
    const body = `<?xml version="1.0" encoding="UTF-8"?>${writeXml(answer)}`;
    return { status: 200, headers: { "content-type": "application/xml", ...headers }, body };
  }
  return replyJson(answer, 200, headers);
}

function writeExpiry(shape: TokenResponse, path: string, seconds: number): unknown {
  const at = Date.now() + seconds * 1000;
  if (shape.expiry_unit === "milliseconds") return seconds * 1000;
  if (shape.expiry_unit === "minutes") return seconds / 60;
  if (/timeout$/i.test(path)) return new Date(at).toISOString();
  if (/(_at|At)$/.test(path) && !/expires_in/.test(path)) return Math.floor(at / 1000);
  return seconds;
}

function writeScalar(text: string): unknown {
  if (text === "true" || text === "false") return text === "true";
  return /^\d+$/.test(text) ? Number(text) : text;
}

/** Sets a value at a dotted path; numbers in it make lists. */
export function setPath(target: Record<string, unknown>, path: string, value: unknown): void {
  const steps = toSteps(path);
  let at: Record<string, unknown> = target;
  for (const [index, step] of steps.slice(0, -1).entries()) {
    const known = at[step];
    const isList = /^\d+$/.test(steps[index + 1] ?? "");
    if (typeof known !== "object" || known === null) at[step] = isList ? [] : {};
    at = asRecord(at[step]);
  }
  at[steps.at(-1) ?? ""] = value;
}

// Lists and objects are both filled by name.
function asRecord(value: unknown): Record<string, unknown> {
  return value as Record<string, unknown>;
}
