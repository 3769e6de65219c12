import { Readable } from "node:stream";
import { functionLimits } from "@jackfield/contract/function-limits";
import type { ProxyConfiguration, ProxyResponse, RetryHeader } from "../../proxy-configuration.ts";
import { type Run, requireRunning } from "../run.ts";
import { encodeRequest } from "./encode-request.ts";
import { fromAnswer, fromHostFailure } from "./proxy-error.ts";

const responseTypes: ReadonlySet<string> = new Set([
  ...["json", "text", "arraybuffer", "blob", "stream", "document"],
]);

const methods: ReadonlySet<string> = new Set([
  "GET",
  "POST",
  "PUT",
  "PATCH",
  "DELETE",
  "HEAD",
  "PROPFIND",
  "REPORT",
]);
const MAX_RETRIES = functionLimits.requestRetries.value;

/** One call to the provider through the host; throws a ProxyError unless the answer is 2xx. */
export async function sendRequest(run: Run, config: ProxyConfiguration): Promise<ProxyResponse> {
  requireRunning(run);
  const method = readMethod(config);
  checkResponseType(config.responseType);
  const { endpoint, query, headers, hasBody, body } = await encodeRequest(config, method);
  const request = { method, path: withQuery(endpoint, query) };
  const params = {
    providerConfigKey: config.providerConfigKey ?? run.facts.providerConfigKey,
    connectionId: config.connectionId ?? run.facts.connectionId,
    method,
    endpoint,
    query,
    headers,
    hasBody,
    retries: readRetries(config.retries),
    retryOn: config.retryOn ?? [],
    decompress: config.decompress === true || config.decompress === "true",
    ...(config.retryHeader === undefined
      ? {}
      : { retryHeader: readRetryHeader(config.retryHeader) }),
    ...(config.forwardHeadersOnRedirect === true ? { forwardHeadersOnRedirect: true } : {}),
    ...(config.baseUrlOverride === undefined
      ? {}
      : { baseUrlOverride: String(config.baseUrlOverride) }),
  };
  const answer = await run.channel.call("proxy", params, body).catch((failure: unknown) => {
    throw fromHostFailure(failure, { config, request });
  });
  const { status, statusText, headers: answered } = answer.value;
  const isOk = status >= 200 && status <= 299;
  // What is thrown must be readable, regardless of what the function wanted to do with the content.
  const responseType = isOk ? config.responseType : undefined;
  const data = decodeResponse(answer.body, responseType, String(answered["content-type"] ?? ""));
  const response = { data, status, statusText, headers: answered, config, request };
  if (!isOk) throw fromAnswer(response);
  return response;
}

function readMethod(config: ProxyConfiguration): string {
  if (typeof config?.endpoint !== "string") {
    throw new TypeError(
      'Pass the path to call as endpoint, for example { endpoint: "/contacts" }.',
    );
  }
  const method = String(config.method ?? "GET").toUpperCase();
  if (methods.has(method)) return method;
  throw new TypeError(`method "${method}" is not available; use ${[...methods].join(", ")}.`);
}

function readRetries(retries: number | undefined): number {
  if (retries === undefined) return 0;
  if (Number.isInteger(retries) && retries >= 0 && retries <= MAX_RETRIES) return retries;
  throw new TypeError(`retries must be a whole number from 0 to ${MAX_RETRIES}, not ${retries}.`);
}

function readRetryHeader({ at, after, remaining }: RetryHeader) {
  return {
    ...(at === undefined ? {} : { at }),
    ...(after === undefined ? {} : { after }),
    ...(remaining === undefined ? {} : { remaining }),
  };
}

function withQuery(endpoint: string, query: [string, string][]): string {
  if (query.length === 0) return endpoint;
  return `${endpoint}${endpoint.includes("?") ? "&" : "?"}${new URLSearchParams(query)}`;
}

/** Refuses what a run cannot be given, before the call is made. */
function checkResponseType(responseType: string | undefined): void {
  if (responseType === undefined || responseTypes.has(responseType)) return;
  throw new TypeError(
    `responseType "${responseType}" is not available; use one of ${[...responseTypes].join(", ")}.`,
  );
}

function decodeResponse(
  body: Uint8Array,
  responseType: ProxyConfiguration["responseType"],
  contentType = "",
): unknown {
  if (responseType === "arraybuffer") return toBuffer(body);
  if (responseType === "blob") return new Blob([new Uint8Array(body)], { type: contentType });
  if (responseType === "stream") return Readable.from([toBuffer(body)], { objectMode: false });
  const text = new TextDecoder().decode(body);
  if (responseType === "text" || responseType === "document") return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
