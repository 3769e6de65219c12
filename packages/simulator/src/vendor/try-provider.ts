import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import type { Provider } from "@jackfield/catalogue";
import { describeIntegration, describeWebhookSecret } from "./describe-integration.ts";
import { nextQuery, readItems, readText } from "./samples/next-page.ts";
import { COLLECTION_SIZE } from "./samples/sample-data.ts";
import type { Vendor } from "./start-vendor.ts";

/** A server over HTTP, and how its calls get to the vendor. */
export interface PlatformToTry {
  readonly url: string;
  /** Key of an environment. */
  readonly key: string;
  /** What the integration is called; the provider's id unless given. */
  readonly integrationKey?: string;
  /** Does what a worker does after a connection was deleted, where none runs. */
  readonly afterDelete?: (connectionId: string) => Promise<void>;
  /** Does more with the connection while it lives. */
  readonly whileConnected?: (connectionId: string) => Promise<void>;
}

/** Where a connection's life went wrong. */
export interface FailedStage {
  readonly stage: string;
  readonly message: string;
}

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
  readonly text: string;
}

interface Trial {
  readonly platform: PlatformToTry;
  readonly vendor: Vendor;
  readonly integrationKey: string;
}

class StageFailed extends Error {
  override name = "StageFailed";
  readonly stage: string;

  constructor(stage: string, message: string) {
    super(message);
    this.stage = stage;
  }
}

/**
 * Takes one connection through its life with the real engine: configure, connect, verify, call, wait for a
 * rate limit, page, refresh, call again, withdraw. Tells where it went wrong; nothing when all is right.
 */
export async function tryProvider(platform: PlatformToTry, vendor: Vendor): Promise<FailedStage[]> {
  const integrationKey = platform.integrationKey ?? vendor.provider.id;
  const trial = { platform, vendor, integrationKey };
  try {
    await configure(trial);
    await refuseWrongCredentials(trial);
    const connectionId = await connect(trial);
    await callApi(trial, connectionId);
    await platform.whileConnected?.(connectionId);
    await refresh(trial, connectionId);
    await withdraw(trial, connectionId);
    return listRefusals(vendor);
  } catch (error) {
    if (!(error instanceof StageFailed)) throw error;
    const reported = listRefusals(vendor);
    return reported.length > 0 ? reported : [{ stage: error.stage, message: error.message }];
  }
}

function listRefusals(vendor: Vendor): FailedStage[] {
  return vendor.refusals.map(({ stage, message }) => ({
    stage,
    message: `the vendor refused: ${message}`,
  }));
}

async function configure(trial: Trial): Promise<void> {
  const { vendor, integrationKey } = trial;
  const body = { ...describeIntegration(vendor), unique_key: integrationKey };
  requireStatus("configure", await call(trial, "POST", "/integrations", { body }), 200);
  const secret = describeWebhookSecret(vendor);
  if (secret === undefined) return;
  const path = `/integrations/${encodeURIComponent(integrationKey)}`;
  requireStatus("configure", await call(trial, "PATCH", path, { body: secret }), 200);
}

const forms: Partial<Record<Provider["auth_mode"], string>> = {
  API_KEY: "/api-auth/api-key",
  BASIC: "/api-auth/basic",
  OAUTH2_CC: "/oauth2/auth",
  TBA: "/auth/tba",
  JWT: "/auth/jwt",
  TWO_STEP: "/auth/two-step",
  SIGNATURE: "/auth/signature",
  BILL: "/auth/bill",
  AWS_SIGV4: "/auth/aws-sigv4",
  NONE: "/auth/unauthenticated",
};

/** Modes whose credentials are tried by the entry's verification. */
const verified: ReadonlySet<Provider["auth_mode"]> = new Set([
  "API_KEY",
  "BASIC",
  "SIGNATURE",
  "TBA",
]);

async function refuseWrongCredentials(trial: Trial): Promise<void> {
  const { vendor } = trial;
  const { provider, samples } = vendor;
  if (provider.verification === undefined || !verified.has(provider.auth_mode)) return;
  const wrong = Object.fromEntries(
    Object.entries(samples.credentials).map(([name, value]) =>
      /key|password|secret|username/i.test(name) ? [name, `${value}-wrong`] : [name, value],
    ),
  );
  const answer = await submit(trial, wrong);
  const noted = vendor.refusals.at(-1);
  if (answer.status < 400 || noted?.stage !== "verify") {
    throw new StageFailed("verify", `wrong credentials were answered with ${describe(answer)}`);
  }
  vendor.forgetRefusals();
}

async function submit(
  trial: Trial,
  credentials: Readonly<Record<string, string>>,
): Promise<Answer> {
  const path = forms[trial.vendor.provider.auth_mode] ?? "";
  const query = await newQuery(trial);
  return await call(trial, "POST", `${path}/${trial.integrationKey}?${query}`, {
    body: credentials,
  });
}

async function newQuery(trial: Trial): Promise<URLSearchParams> {
  const session = await call(trial, "POST", "/connect/sessions", { body: {} });
  const token = readText(session.body, "data", "token");
  if (token === undefined) throw new StageFailed("connect", `no session: ${describe(session)}`);
  const query = new URLSearchParams({ connect_session_token: token });
  for (const [name, value] of Object.entries(trial.vendor.samples.connectionConfig)) {
    query.set(`params[${name}]`, value);
  }
  return query;
}

async function connect(trial: Trial): Promise<string> {
  const { vendor } = trial;
  const answer =
    forms[vendor.provider.auth_mode] === undefined
      ? await connectInBrowser(trial)
      : await submit(trial, vendor.samples.credentials);
  requireStatus("connect", answer, 200);
  const { provider } = vendor;
  if (provider.verification !== undefined && verified.has(provider.auth_mode)) {
    if (vendor.countPassed("verify") === 0)
      throw new StageFailed("verify", "the verification was not called");
  }
  const connectionId =
    readText(answer.body, "connectionId") ?? readText(answer.body, "data", "connection_id");
  if (connectionId !== undefined) return connectionId;
  throw new StageFailed("connect", `no connection was made: ${describe(answer)}`);
}

/** As a browser that agrees to everything. */
async function connectInBrowser(trial: Trial): Promise<Answer> {
  const query = await newQuery(trial);
  const begun = await call(trial, "GET", `/oauth/connect/${trial.integrationKey}?${query}`);
  const location = begun.headers.get("location");
  if (location === null) throw new StageFailed("authorize", `no redirect: ${describe(begun)}`);
  const [cookie = ""] = (begun.headers.get("set-cookie") ?? "").split(";");
  const agreed = await fetch(readsFragment(location), { redirect: "manual" });
  const back = agreed.headers.get("location");
  const reported = await agreed.text();
  if (back === null)
    throw new StageFailed("authorize", `the vendor answered ${agreed.status} ${strip(reported)}`);
  const { pathname, search } = new URL(back);
  const ended = await call(trial, "GET", pathname + search, { headers: { cookie } });
  if (ended.status !== 200) throw new StageFailed("token", strip(ended.text));
  return await call(trial, "GET", "/connect/session/result", {
    headers: { authorization: `Bearer ${query.get("connect_session_token")}` },
  });
}

/** Some vendors' pages read the request from the fragment, which a browser does not send. */
function readsFragment(location: string): string {
  const [page = "", fragment] = location.split("#");
  const request = fragment?.split("?")[1];
  return request === undefined ? page : `${page}?${request}`;
}

async function callApi(trial: Trial, connectionId: string): Promise<void> {
  const { vendor } = trial;
  const before = vendor.countPassed("call");
  const target = await requireProxied(trial, connectionId, "/sample/thing?q=a%20b", {});
  if (readText(target.body, "ok") !== "true" || vendor.countPassed("call") !== before + 1) {
    throw new StageFailed("call", `the call did not arrive: ${describe(target)}`);
  }
  await walkPages(trial, connectionId);
  if (vendor.provider.retry === undefined) return;
  vendor.setFaults({ rate_limit: "entry", rate_limit_s: 1 });
  await requireProxied(trial, connectionId, "/sample/later", { retries: 1 });
  vendor.setFaults({});
}

interface ProxiedCall {
  readonly method?: string;
  readonly body?: object;
  readonly retries?: number;
}

async function requireProxied(
  trial: Trial,
  connectionId: string,
  path: string,
  { method, body, retries }: ProxiedCall,
): Promise<Answer> {
  // A key in the body needs a body.
  const { provider } = trial.vendor;
  const keyInBody =
    JSON.stringify(provider).includes('"text":"body"') ||
    Object.keys(provider.inject?.body ?? {}).length > 0;
  const answer = await call(trial, method ?? (keyInBody ? "POST" : "GET"), `/proxy${path}`, {
    headers: {
      "provider-config-key": trial.integrationKey,
      "connection-id": connectionId,
      ...(retries === undefined ? {} : { retries: String(retries) }),
    },
    ...(body === undefined && !keyInBody ? {} : { body: body ?? {} }),
  });
  requireStatus("call", answer, 200);
  return answer;
}

/** Follows the entry's pagination over a whole collection. */
async function walkPages(trial: Trial, connectionId: string): Promise<void> {
  const { pagination } = trial.vendor.provider;
  if (pagination === undefined) return;
  const seen: unknown[] = [];
  const path: string | undefined = "/sample/things";
  const limitName = pagination.limit_name_in_request;
  const limit: Record<string, string> = limitName === undefined ? {} : { [limitName]: "10" };
  let query = new URLSearchParams(limit);
  const first = pagination.offset_start_value ?? 0;
  if (pagination.type === "offset")
    query.set(pagination.offset_name_in_request ?? "", String(first));
  for (let count = 0; path !== undefined && count < 10; count += 1) {
    const answer: Answer = await requireProxied(trial, connectionId, `${path}?${query}`, {});
    const items = readItems(answer.body, pagination.response_path);
    if (items === undefined) {
      throw new StageFailed(
        "call",
        `page ${count + 1} has no items at ${pagination.response_path ?? "its top"}`,
      );
    }
    seen.push(...items);
    if (items.length < 10) break;
    const next = nextQuery(pagination, answer, { query, first, count, seen: seen.length });
    if (next === undefined) break;
    query = next;
  }
  if (seen.length === COLLECTION_SIZE) return;
  throw new StageFailed(
    "call",
    `the pages hold ${seen.length} items instead of ${COLLECTION_SIZE}`,
  );
}

const renewable: ReadonlySet<Provider["auth_mode"]> = new Set([
  "OAUTH2",
  "MCP_OAUTH2",
  "MCP_OAUTH2_GENERIC",
  "OAUTH2_CC",
  "TWO_STEP",
  "BILL",
  "AWS_SIGV4",
  "APP",
  "CUSTOM",
]);

/** The token is renewed by force, and once because it is about to end. */
async function refresh(trial: Trial, connectionId: string): Promise<void> {
  const { vendor } = trial;
  if (!renewable.has(vendor.provider.auth_mode)) return;
  const before = vendor.countPassed("refresh");
  const query = new URLSearchParams({
    provider_config_key: trial.integrationKey,
    force_refresh: "true",
  });
  // The second shows that a rotated refresh token was kept.
  const rounds = vendor.rotates ? [1, 2] : [1];
  for (const _round of rounds) {
    const answer = await call(trial, "GET", `/connections/${connectionId}?${query}`);
    requireStatus("refresh", answer, 200);
    requireExpiry(answer);
  }
  if (vendor.countPassed("refresh") < before + rounds.length) {
    throw new StageFailed("refresh", "the vendor was not asked for a new token each time");
  }
  await requireProxied(trial, connectionId, "/sample/after-refresh", {});
}

function requireExpiry({ body }: Answer): void {
  const ends = readText(body, "credentials", "expires_at");
  const left = ends === undefined ? undefined : Date.parse(ends) - Date.now();
  if (left !== undefined && left > 60_000) return;
  throw new StageFailed("refresh", `the new token's end was not understood: ${ends ?? "none"}`);
}

const REVOKE_PATIENCE_MS = 10_000;

async function withdraw(trial: Trial, connectionId: string): Promise<void> {
  const { vendor, platform, integrationKey } = trial;
  const path = `/connections/${connectionId}?provider_config_key=${integrationKey}`;
  requireStatus("revoke", await call(trial, "DELETE", path), 200);
  await platform.afterDelete?.(connectionId);
  if (!vendor.revokes) return;
  const deadline = Date.now() + REVOKE_PATIENCE_MS;
  while (
    vendor.countPassed("revoke") === 0 &&
    vendor.refusals.length === 0 &&
    Date.now() < deadline
  ) {
    await sleep(20);
  }
  if (vendor.countPassed("revoke") === 0) {
    throw new StageFailed("revoke", "the vendor got no call that withdraws the token");
  }
}

interface CallOptions {
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

async function call(
  { platform }: Trial,
  method: string,
  path: string,
  { body, headers = {} }: CallOptions = {},
): Promise<Answer> {
  const payload = body === undefined ? undefined : JSON.stringify(body);
  // Not by fetch, which adds headers that the proxy would pass on as the caller's.
  const sent = request(`${platform.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${platform.key}`,
      ...(payload === undefined
        ? {}
        : { "content-type": "application/json", "content-length": Buffer.byteLength(payload) }),
      ...headers,
    },
  });
  sent.end(payload);
  const [answer] = (await once(sent, "response")) as [IncomingMessage];
  const content = await text(answer);
  const isJson = answer.headers["content-type"]?.includes("json") === true;
  return {
    status: answer.statusCode ?? 0,
    headers: new Headers(
      Object.entries(answer.headers).map(([name, value]) => [name, [value].flat().join(", ")]),
    ),
    body: isJson ? JSON.parse(content) : content,
    text: content,
  };
}

function requireStatus(stage: string, answer: Answer, status: number): void {
  if (answer.status !== status) throw new StageFailed(stage, describe(answer));
}

function describe({ status, text }: Answer): string {
  return `status ${status}: ${strip(text).slice(0, 500)}`;
}

function strip(html: string): string {
  return html
    .replaceAll(/<(?:style|script)[\s\S]*?(?:<\/(?:style|script)>|$)/g, "")
    .replaceAll(/<[^<>]*>/g, " ")
    .replaceAll(/\s+/g, " ")
    .trim();
}
