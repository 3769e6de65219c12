import {
  connectionRoutes,
  environmentRoutes,
  integrationRoutes,
  providerRoutes,
} from "@jackfield/contract";
import { functionLimits } from "@jackfield/contract/function-limits";
import { type RuntimeParams, runtimeMethods } from "@jackfield/contract/runtime";
import type { Forward, HostAnswer, HostCall } from "@jackfield/functions/test-kit";
import { HostFailure } from "@jackfield/functions/test-kit";
import * as z from "zod";
import {
  callPlatform,
  identify,
  type Platform,
  PlatformRefusal,
  toUnreachable,
} from "../deploy/call-platform.ts";
import { UserError } from "../user-error.ts";
import { type Reach, requireHost } from "./guard-reach.ts";

const RATE_LIMIT_WAIT_S = 600;
const CALL_TIMEOUT_MS = 15 * 60_000;

export interface OwnRun {
  readonly providerConfigKey: string;
  readonly connectionId: string;
  readonly variant: string;
}

type Methods = Readonly<Record<string, (call: HostCall) => Promise<HostAnswer>>>;

const errorBody = z.looseObject({
  error: z.looseObject({
    code: z.string(),
    message: z.string().default(""),
    errors: z.array(z.unknown()).optional(),
  }),
});
const pagingEntry = z.looseObject({
  paginate: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
});
const anyRecord = z.looseObject({ id: z.string() });
const recordPage = z.looseObject({
  records: z.array(anyRecord),
  next_cursor: z.string().nullable(),
});
/** The function declares the model, so all that it can lack is the deployment that saves it. */
const modelRefusal = z.looseObject({
  error: z.looseObject({
    code: z.literal("invalid_query_params"),
    errors: z.tuple([z.looseObject({ path: z.tuple([z.literal("model")]) })]),
  }),
});
const recordsAsked = z.looseObject({
  model: z.string(),
  ids: z.array(z.string()).optional(),
  cursor: z.string().optional(),
});

/** Does a function's calls by the server's public API: only what the key may do is done. */
export function forwardToPlatform(platform: Platform, own: OwnRun, reach: Reach): Forward {
  const { egress } = reach;
  const methods: Methods = {
    proxy: async ({ params, body }) =>
      await callProvider(
        platform,
        { ...own, egress },
        runtimeMethods.proxy.params.parse(params),
        body,
      ),
    fetch: async ({ params, body }) =>
      await callAnywhere(runtimeMethods.fetch.params.parse(params), body, reach),
    getConnection: async ({ params }) => await readConnection(platform, own, params),
    getIntegration: async ({ params }) => await readIntegration(platform, own, params),
    getPagination: async ({ params }) => await readPagination(platform, params),
    getEnvironmentVariables: async () => ({ value: await readVariables(platform) }),
    triggerAction: async ({ params, body }) => await triggerAction(platform, params, body),
    getRecords: async ({ params }) => await readRecords(platform, own, params),
    listRecords: async ({ params }) => await readRecords(platform, own, params),
  };
  return async (call) => {
    const method = methods[call.method];
    if (method === undefined) {
      throw new HostFailure({
        type: "not_available",
        message: `svc.${call.method} is not available in a dry run`,
      });
    }
    try {
      return await method(call);
    } catch (error) {
      throw toHostFailure(error);
    }
  };
}

async function callProvider(
  platform: Platform,
  own: OwnRun & { readonly egress: Reach["egress"] | undefined },
  params: RuntimeParams<"proxy">,
  body: Uint8Array,
): Promise<HostAnswer> {
  const { path, query } = splitEndpoint(params.endpoint, params.query);
  const url = `${platform.host}/proxy/${path}${query}`;
  requireProxied(platform, url);
  const headers = {
    ...identify(platform.key),
    // It continues to the provider, which is to see what a deployed run sends.
    "user-agent": "Jackfield",
    "connection-id": params.connectionId ?? own.connectionId,
    "provider-config-key": params.providerConfigKey ?? own.providerConfigKey,
    retries: String(params.retries),
    ...(params.retryOn.length > 0 && { "retry-on": params.retryOn.join(",") }),
    ...(params.baseUrlOverride !== undefined && { "base-url-override": params.baseUrlOverride }),
    decompress: String(params.decompress),
    "follow-redirects": "true",
    "forward-headers-on-redirect": String(params.forwardHeadersOnRedirect ?? false),
    ...retryHeaders(params.retryHeader),
    // Where redirects lead is the server's to see.
    ...(own.egress !== undefined && { "svc-egress": own.egress.join(",") }),
    "rate-limit-wait": String(RATE_LIMIT_WAIT_S),
    // Without a type of its own, fetch would name one for a body of text.
    ...(params.hasBody && { "content-type": params.headers["content-type"] ?? "application/json" }),
    ...prefixHeaders(params.headers),
  };
  const response = await send(url, {
    method: params.method,
    headers,
    ...(params.hasBody && { body: new Uint8Array(body) }),
    redirect: "manual",
  });
  const answer = new Uint8Array(await response.arrayBuffer());
  if (response.headers.get("svc-error-source") === "platform") {
    throw new HostFailure(toPlatformError(answer, response.status));
  }
  return {
    value: {
      status: response.status,
      statusText: response.statusText,
      headers: toHeaderMap(response.headers),
    },
    body: answer,
  };
}

function retryHeaders({ at, after, remaining }: RuntimeParams<"proxy">["retryHeader"] = {}) {
  return {
    ...(at !== undefined && { "svc-retry-at": at }),
    ...(after !== undefined && { "svc-retry-after": after }),
    ...(remaining !== undefined && { "svc-retry-remaining": remaining }),
  };
}

/** With `..` in the endpoint the call, which has the key, would reach another route than the proxy, which refuses it, too. */
function requireProxied(platform: Platform, url: string): void {
  const base = URL.parse(`${platform.host}/proxy/`)?.href ?? "";
  if (URL.parse(url)?.href.startsWith(base) === true) return;
  throw new HostFailure({
    type: "invalid_uri_params",
    message: "The path leaves the base URL by `..`.",
    status: 400,
  });
}

/** A name given replaces the endpoint's own, as in a deployed run. */
function splitEndpoint(
  endpoint: string,
  given: readonly (readonly [string, string])[],
): { path: string; query: string } {
  const [path = "", ...rest] = endpoint.split("?");
  const own = rest.join("?");
  if (given.length === 0)
    return { path: path.replace(/^\/+/, ""), query: own === "" ? "" : `?${own}` };
  const query = new URLSearchParams(own);
  for (const [name] of given) query.delete(name);
  for (const [name, value] of given) query.append(name, value);
  return { path: path.replace(/^\/+/, ""), query: `?${query}` };
}

function prefixHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(headers).filter(([name]) => name !== "content-type");
  return Object.fromEntries(entries.map(([name, value]) => [`svc-proxy-${name}`, value]));
}

function toHeaderMap(headers: Headers): Record<string, string | string[]> {
  const cookies = headers.getSetCookie();
  return {
    ...Object.fromEntries(headers),
    ...(cookies.length > 0 && { "set-cookie": cookies }),
  };
}

function toPlatformError(body: Uint8Array, status: number) {
  const parsed = errorBody.safeParse(parseJson(new TextDecoder().decode(body)));
  if (!parsed.success) {
    const message = `the server answered ${status} to a proxy call`;
    return { type: "server_error", message, status };
  }
  const { code, message, errors = [] } = parsed.data.error;
  const [payload] = errors;
  return { type: code, message, status, ...(payload !== undefined && { payload }) };
}

/** Uncredentialed calls leave from this machine: it is the author's own. */
async function callAnywhere(
  params: RuntimeParams<"fetch">,
  body: Uint8Array,
  reach: Reach,
): Promise<HostAnswer> {
  // Followed here, so that each address can be looked at.
  const isFollowed = reach.egress !== undefined && params.redirect === "follow";
  const response = await send(params.url, {
    method: params.method,
    headers: params.headers.map(([name, value]): [string, string] => [name, value]),
    ...(params.hasBody && { body: new Uint8Array(body) }),
    redirect: isFollowed ? "manual" : params.redirect,
  });
  const location = response.headers.get("location");
  if (isFollowed && location !== null && response.status >= 300 && response.status < 400) {
    const next = URL.parse(location, params.url)?.href ?? location;
    requireHost(reach, next);
    return await callAnywhere(redirect(params, response.status, next), body, reach);
  }
  const { status, url, redirected } = response;
  const answer = new Uint8Array(await response.arrayBuffer());
  return { value: { status, headers: [...response.headers], url, redirected }, body: answer };
}

/** As browsers do; the function is on its author's own machine. */
function redirect(
  { hops = 0, ...params }: RuntimeParams<"fetch"> & { readonly hops?: number },
  status: number,
  url: string,
): RuntimeParams<"fetch"> & { readonly hops: number } {
  if (hops === functionLimits.redirects.value) {
    const message = `More than ${hops} redirects followed.`;
    throw new HostFailure({ type: "too_many_redirects", message });
  }
  const becomesGet = status === 303 || (status < 303 && params.method === "POST");
  const isOther = new URL(url).origin !== new URL(params.url).origin;
  const headers = params.headers.filter(
    ([name]) =>
      !(isOther && /^(authorization|proxy-authorization|cookie)$/i.test(name)) &&
      !(becomesGet && /^content-/i.test(name)),
  );
  const changed = becomesGet ? { method: "GET", hasBody: false } : {};
  return { ...params, ...changed, headers, url, hops: hops + 1 };
}

async function send(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, { ...init, signal: AbortSignal.timeout(CALL_TIMEOUT_MS) });
  } catch (error) {
    const { message } = toUnreachable(url, error);
    throw new HostFailure({ type: "script_network_error", message }, { cause: error });
  }
}

async function readConnection(
  platform: Platform,
  own: OwnRun,
  params: unknown,
): Promise<HostAnswer> {
  const asked = runtimeMethods.getConnection.params.parse(params);
  const { getConnection } = connectionRoutes;
  const value = await callPlatform(platform, {
    method: "GET",
    path: `/connections/${encodeURIComponent(asked.connectionId ?? own.connectionId)}`,
    query: {
      provider_config_key: asked.providerConfigKey ?? own.providerConfigKey,
      force_refresh: String(asked.forceRefresh),
      refresh_token: String(asked.refreshToken),
    },
    answer: getConnection.success.schema,
  });
  return { value };
}

async function readIntegration(
  platform: Platform,
  own: OwnRun,
  params: unknown,
): Promise<HostAnswer> {
  const { include } = runtimeMethods.getIntegration.params.parse(params);
  const { data } = await callPlatform(platform, {
    method: "GET",
    path: `/integrations/${encodeURIComponent(own.providerConfigKey)}`,
    ...(include.length > 0 && { query: { include: include.join(",") } }),
    answer: integrationRoutes.getIntegration.success.schema,
  });
  return { value: data };
}

/** The entry of the integration's provider says it. */
async function readPagination(platform: Platform, params: unknown): Promise<HostAnswer> {
  const { providerConfigKey } = runtimeMethods.getPagination.params.parse(params);
  const { data } = await callPlatform(platform, {
    method: "GET",
    path: `/integrations/${encodeURIComponent(providerConfigKey)}`,
    answer: integrationRoutes.getIntegration.success.schema,
  });
  const found = await callPlatform(platform, {
    method: "GET",
    path: `/providers/${encodeURIComponent(data.provider)}`,
    answer: providerRoutes.getProvider.success.schema,
  });
  const { paginate } = pagingEntry.parse(found.data.proxy);
  return { value: paginate ?? null };
}

async function readVariables(platform: Platform): Promise<unknown> {
  return await callPlatform(platform, {
    method: "GET",
    path: "/environment-variables",
    answer: environmentRoutes.listEnvironmentVariables.success.schema,
  });
}

async function triggerAction(
  platform: Platform,
  params: unknown,
  body: Uint8Array,
): Promise<HostAnswer> {
  const asked = runtimeMethods.triggerAction.params.parse(params);
  const text = new TextDecoder().decode(body);
  const response = await send(`${platform.host}/action/trigger`, {
    method: "POST",
    headers: {
      ...identify(platform.key),
      "content-type": "application/json",
      "connection-id": asked.connectionId,
      "provider-config-key": asked.providerConfigKey,
    },
    body: JSON.stringify({
      action_name: asked.actionName,
      ...(text !== "" && { input: parseJson(text) }),
    }),
  });
  const answer = new Uint8Array(await response.arrayBuffer());
  if (!response.ok) throw new HostFailure(toPlatformError(answer, response.status));
  return { value: null, body: answer };
}

/** What is stored for the connection, also what a deployed sync has saved; a dry run adds nothing to it. */
async function readRecords(platform: Platform, own: OwnRun, params: unknown): Promise<HostAnswer> {
  const { model, ids, cursor } = recordsAsked.parse(params);
  const query = new URLSearchParams({
    model,
    ...(own.variant !== "base" && { variant: own.variant }),
    ...(cursor !== undefined && { cursor }),
  });
  for (const id of ids ?? []) query.append("ids", id);
  const response = await send(`${platform.host}/records?${query}`, {
    headers: {
      ...identify(platform.key),
      "connection-id": own.connectionId,
      "provider-config-key": own.providerConfigKey,
    },
  });
  const bytes = new Uint8Array(await response.arrayBuffer());
  const parsed = parseJson(new TextDecoder().decode(bytes));
  const isUndeployed = modelRefusal.safeParse(parsed).success;
  if (!response.ok && !isUndeployed) throw new HostFailure(toPlatformError(bytes, response.status));
  const page = isUndeployed ? { records: [], next_cursor: null } : recordPage.parse(parsed);
  const lines = page.records.map((record) => JSON.stringify(record)).join("\n");
  return {
    value:
      ids === undefined
        ? { ...(page.next_cursor !== null && { nextCursor: page.next_cursor }) }
        : { sequences: page.records.map(() => 0), hasMore: false },
    body: new TextEncoder().encode(lines),
  };
}

function toHostFailure(error: unknown): unknown {
  if (error instanceof PlatformRefusal) {
    const { code: type = "server_error", message, status } = error;
    return new HostFailure({ type, message, status });
  }
  if (error instanceof UserError) {
    return new HostFailure({ type: "server_error", message: error.message }, { cause: error });
  }
  return error;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
