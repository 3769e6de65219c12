import { JackfieldError } from "../jackfield-error.ts";
import type { ProxyConfiguration, ProxyResponseType } from "../requests.ts";
import type { ProviderResponse } from "../resources.ts";
import { type HttpClient, toQuery, tryParse } from "./http.ts";

/** A call to the provider with the connection's credentials; throws when either side fails. */
export async function callProvider<Data>(
  http: HttpClient,
  config: ProxyConfiguration,
): Promise<ProviderResponse<Data>> {
  const { method = "GET", endpoint, params = {}, data, responseType = "json" } = config;
  const separator = endpoint.includes("?") ? "&" : "?";
  const query = toQuery(params).replace(/^\?/, separator);
  const response = await http.fetch(
    {
      method,
      path: `/proxy/${endpoint.replace(/^\/+/, "")}${query}`,
      headers: toControlHeaders(config),
      signal: config.signal,
    },
    toBody(data, config.headers ?? {}),
  );
  const headers = Object.fromEntries(response.headers);
  const { status } = response;
  if (response.ok) {
    return { status, headers, data: asData<Data>(await readBody(response, responseType)) };
  }
  const body = await readBody(response, "json");
  const { code, message, errors } = Object(Object(body)["error"]);
  const isOurs = headers["svc-error-source"] === "platform" && !("svc-answered-by" in headers);
  if (isOurs && typeof code === "string") {
    throw new JackfieldError({ code, message: String(message), status, errors });
  }
  throw new JackfieldError({
    code: "provider_error",
    message: `The provider answered ${method} ${endpoint.split("?")[0]} with ${status}.`,
    status,
    response: { status, headers, data: body },
  });
}

function toControlHeaders(config: ProxyConfiguration): Record<string, string | undefined> {
  const own = {
    "provider-config-key": config.providerConfigKey,
    "connection-id": config.connectionId,
    "base-url-override": config.baseUrlOverride,
    "retry-on": config.retryOn?.join(","),
    retries: config.retries === undefined ? undefined : String(config.retries),
    decompress: config.decompress === undefined ? undefined : String(config.decompress),
  };
  const forwarded = Object.entries(config.headers ?? {}).map(([name, value]) => [
    `svc-proxy-${name}`,
    value,
  ]);
  return { ...own, ...Object.fromEntries(forwarded) };
}

function toBody(data: unknown, headers: Record<string, string>): RequestInit {
  if (data === undefined) return {};
  if (data instanceof ReadableStream) return { body: data, ...halfDuplex };
  const isSendable =
    typeof data === "string" ||
    data instanceof ArrayBuffer ||
    ArrayBuffer.isView(data) ||
    data instanceof Blob ||
    data instanceof FormData ||
    data instanceof URLSearchParams;
  if (isSendable) return { body: asBody(data) };
  const isNamed = Object.keys(headers).some((name) => name.toLowerCase() === "content-type");
  const type = isNamed ? {} : { headers: { "content-type": "application/json" } };
  return { body: JSON.stringify(data), ...type };
}

// `fetch` refuses a streamed body without it.
const halfDuplex = { duplex: "half" } as const;

async function readBody(response: Response, type: ProxyResponseType): Promise<unknown> {
  if (type === "stream") return response.body;
  if (type === "arraybuffer") return await response.arrayBuffer();
  if (type === "blob") return await response.blob();
  const text = await response.text();
  return type === "text" ? text : (tryParse(text) ?? text);
}

// The caller says what the provider answers; nobody here can know.
function asData<Data>(value: unknown): Data {
  return value as Data;
}

// Each kind was tested for above; the types of platforms differ in what they call a body.
function asBody(value: unknown): NonNullable<RequestInit["body"]> {
  return value as NonNullable<RequestInit["body"]>;
}
