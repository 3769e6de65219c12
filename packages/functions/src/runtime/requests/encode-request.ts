import type { ProxyConfiguration } from "../../proxy-configuration.ts";
import { RunFailure } from "../run-failure.ts";

const NO_BYTES = new Uint8Array(0);
const methodsWithBody: ReadonlySet<string> = new Set([
  "POST",
  "PUT",
  "PATCH",
  "DELETE",
  "PROPFIND",
  "REPORT",
]);

export interface EncodedRequest {
  readonly endpoint: string;
  readonly query: [string, string][];
  readonly headers: Record<string, string>;
  readonly hasBody: boolean;
  readonly body: Uint8Array;
}

/** Turns a call's params, headers and data into what goes over the wire. */
export async function encodeRequest(
  config: ProxyConfiguration,
  method: string,
): Promise<EncodedRequest> {
  const headers = encodeHeaders(config.headers);
  const content = methodsWithBody.has(method)
    ? await encodeData(config.data, headers["content-type"])
    : undefined;
  if (content?.type !== undefined) headers["content-type"] = content.type;
  return {
    endpoint:
      typeof config.params === "string"
        ? appendQuery(config.endpoint, config.params)
        : config.endpoint,
    query: encodeQuery(config.params),
    headers,
    hasBody: content !== undefined,
    body: content?.bytes ?? NO_BYTES,
  };
}

function appendQuery(endpoint: string, params: string): string {
  const query = params.startsWith("?") ? params.slice(1) : params;
  if (query === "") return endpoint;
  if (endpoint.includes("?")) {
    throw new RunFailure({
      type: "invalid_query_params",
      message:
        "The endpoint has a query already, so params cannot be text; pass them as an object, or in the endpoint.",
    });
  }
  return `${endpoint}?${query}`;
}

function encodeQuery(params: ProxyConfiguration["params"]): [string, string][] {
  if (params === undefined || typeof params === "string") return [];
  const pairs: [string, string][] = [];
  for (const [name, value] of Object.entries(params)) {
    if (value === undefined || value === null) continue;
    pairs.push([name, Array.isArray(value) ? joinItems(value) : toQueryText(value)]);
  }
  return pairs;
}

function joinItems(items: readonly unknown[]): string {
  return items
    .filter((item) => item !== undefined && item !== null)
    .map(toQueryText)
    .join(",");
}

/** Authors without types also pass dates and objects. */
function toQueryText(value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function encodeHeaders(headers: ProxyConfiguration["headers"]): Record<string, string> {
  const lowerCased: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers ?? {})) {
    if (value !== undefined && value !== null) lowerCased[name.toLowerCase()] = String(value);
  }
  return lowerCased;
}

interface Content {
  readonly bytes: Uint8Array;
  /** Content type to send; undefined keeps the caller's, or sends none. */
  readonly type?: string;
}

const FORM = "application/x-www-form-urlencoded";

async function encodeData(data: unknown, type: string | undefined): Promise<Content | undefined> {
  if (data === undefined || data === null) return undefined;
  if (data instanceof Uint8Array) return { bytes: data };
  if (data instanceof ArrayBuffer) return { bytes: new Uint8Array(data) };
  if (data instanceof URLSearchParams) return toContent(data.toString(), type, FORM);
  if (isFormData(data)) return encodeMultipart(data);
  if (typeof data === "string")
    return toContent(data, type, isJson(data) ? "application/json" : FORM);
  if (isPlainObject(data) && type?.startsWith("multipart/form-data")) {
    return encodeMultipart(toForm(new FormData(), data));
  }
  if (isPlainObject(data) && type?.startsWith(FORM)) {
    return toContent(toForm(new URLSearchParams(), data).toString(), type, FORM);
  }
  return toContent(JSON.stringify(data), type, "application/json");
}

function toContent(text: string, given: string | undefined, type: string): Content {
  const bytes = Buffer.from(text);
  return given === undefined ? { bytes, type } : { bytes };
}

/** The boundary is chosen here, so a multipart type of the caller's gives way. */
async function encodeMultipart(form: FormData): Promise<Content> {
  const response = new Response(form);
  const type = response.headers.get("content-type") ?? "multipart/form-data";
  return { bytes: new Uint8Array(await response.arrayBuffer()), type };
}

function toForm<Form extends FormData | URLSearchParams>(form: Form, data: object): Form {
  for (const [name, value] of Object.entries(data)) {
    for (const item of Array.isArray(value) ? value : [value]) appendField(form, name, item);
  }
  return form;
}

function appendField(form: FormData | URLSearchParams, name: string, value: unknown): void {
  if (value === undefined || value === null) return;
  if (form instanceof URLSearchParams) form.append(name, toQueryText(value));
  else if (value instanceof Blob) form.append(name, value);
  else if (value instanceof Uint8Array) form.append(name, new Blob([new Uint8Array(value)]), name);
  else form.append(name, toQueryText(value));
}

/** By its tag: naming the global would load Node's HTTP client into each child that sends JSON. */
function isFormData(value: unknown): value is FormData {
  return Object.prototype.toString.call(value) === "[object FormData]";
}

/** Text that is a JSON object or array is sent as such: nobody means a form by it. */
function isJson(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function isPlainObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
