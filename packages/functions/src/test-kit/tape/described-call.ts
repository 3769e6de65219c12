import { createHash } from "node:crypto";
import type { TapeBody, TapeCall } from "@jackfield/contract/tape-file";

/** A call as it is compared: what it is, and its parts by name. */
export interface DescribedCall {
  /** `GET /contacts`, `fetch POST https://…`, `batchSave Contact`; calls of one name can stand for each other. */
  readonly name: string;
  readonly method: string;
  readonly parts: Readonly<Record<string, unknown>>;
}

interface Asked {
  readonly method: string;
  readonly params: unknown;
  readonly body: TapeBody | undefined;
}

export function describeTaped({ method, params, body }: TapeCall): DescribedCall {
  return describe({ method, params, body });
}

/** A call that is made now; of a body that the tape has cut, the hash is what can be compared. */
export function describeMade({
  method,
  params,
  body,
}: {
  method: string;
  params: unknown;
  body: Uint8Array;
}): DescribedCall {
  const json = JSON.stringify(params);
  return describe({
    method,
    params: json === undefined ? undefined : JSON.parse(json),
    body: toBody(body),
  });
}

export function toBody(bytes: Uint8Array): TapeBody | undefined {
  if (bytes.byteLength === 0) return undefined;
  try {
    return { text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    return { base64: Buffer.from(bytes).toString("base64") };
  }
}

/** Undefined for a body that the tape does not have. */
export function fromBody(body: TapeBody | undefined): Uint8Array | undefined {
  if (body === undefined) return new Uint8Array(0);
  if ("cut" in body) return undefined;
  return "text" in body ? Buffer.from(body.text) : Buffer.from(body.base64, "base64");
}

export function cutOf(bytes: Uint8Array): TapeBody {
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  return { cut: { bytes: bytes.byteLength, sha256 } };
}

function describe({ method, params, body }: Asked): DescribedCall {
  const fields: Record<string, unknown> = { ...Object(params) };
  const shown = body === undefined ? {} : { body: partsOfBody(method, body) };
  if (method === "proxy") return describeProxy(fields, shown);
  if (method === "fetch") return describeFetch(fields, shown);
  // Which of the records were sampled is no part of what was saved.
  const { model, ids, fields: _, ...rest } = fields;
  if (typeof model !== "string") return { name: method, method, parts: { ...fields, ...shown } };
  const own = method === "batchSave" || method === "batchUpdate" ? {} : { ids };
  return { name: `${method} ${model}`, method, parts: { ...rest, ...own, ...shown } };
}

function describeProxy(fields: Record<string, unknown>, body: object): DescribedCall {
  const { method: verb, endpoint, query, headers, hasBody: _, ...rest } = fields;
  const [path = "", ...own] = String(endpoint).split("?");
  const asked = new URLSearchParams(own.join("?"));
  const given = pairsOf(query);
  for (const [name] of given) asked.delete(name);
  for (const [name, value] of given) asked.append(name, value);
  const normal = normalizeBoundary({ headers: { ...Object(headers) }, ...body });
  const place = path.startsWith("/") || /^https?:/.test(path) ? path : `/${path}`;
  return {
    name: `${String(verb).toUpperCase()} ${place}`,
    method: "proxy",
    parts: { query: groupPairs([...asked]), ...normal, ...rest },
  };
}

function describeFetch(fields: Record<string, unknown>, body: object): DescribedCall {
  const { method: verb, url, headers, hasBody: _, ...rest } = fields;
  const [address = "", ...own] = String(url).split("?");
  const named = Object.fromEntries(
    pairsOf(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
  return {
    name: `fetch ${String(verb)} ${address}`,
    method: "fetch",
    parts: {
      query: groupPairs([...new URLSearchParams(own.join("?"))]),
      ...normalizeBoundary({ headers: named, ...body }),
      ...rest,
    },
  };
}

/** The boundary of a multipart body is another one each time. */
function normalizeBoundary(parts: { headers: Record<string, unknown>; body?: unknown }) {
  const type = parts.headers["content-type"];
  const boundary =
    typeof type === "string" ? /;\s*boundary="?([^";\s]+)/i.exec(type)?.[1] : undefined;
  if (boundary === undefined || typeof type !== "string") return parts;
  const headers = { ...parts.headers, "content-type": type.replace(boundary, "boundary") };
  const { body } = parts;
  return {
    headers,
    ...("body" in parts && {
      body: typeof body === "string" ? body.replaceAll(boundary, "boundary") : body,
    }),
  };
}

/** JSON as a value, so that a difference names its place; else the text. */
function partsOfBody(method: string, body: TapeBody): unknown {
  if ("cut" in body) return body;
  if ("base64" in body) return body.base64;
  const { text } = body;
  if (method === "batchSave" || method === "batchUpdate") {
    const lines = text.split("\n").map(tryParse);
    return Object.fromEntries(lines.map((line, at) => [idOf(line) ?? String(at), line]));
  }
  return /^\s*[[{"]/.test(text) ? tryParse(text) : text;
}

function idOf(record: unknown): string | undefined {
  const { id }: { id?: unknown } = Object(record);
  return typeof id === "string" ? id : undefined;
}

export function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function pairsOf(value: unknown): [string, string][] {
  if (!Array.isArray(value)) return [];
  return value.map((pair) => [String(Object(pair)[0]), String(Object(pair)[1])]);
}

function groupPairs(pairs: readonly (readonly [string, string])[]): Record<string, unknown> {
  const grouped = new Map<string, string[]>();
  for (const [name, value] of pairs) grouped.set(name, [...(grouped.get(name) ?? []), value]);
  return Object.fromEntries(
    [...grouped].map(([name, values]) => [name, values.length === 1 ? values[0] : values]),
  );
}
