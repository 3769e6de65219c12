import { describeIntegration, startVendor, type Vendor } from "@jackfield/simulator";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import {
  newAction,
  newBundle,
  newSync,
  newUpload,
} from "../../packages/server/src/functions/testing/index.ts";
import { type FunctionsUnderTest, startFunctions } from "./setup.ts";

// What callers of functions learn when a connection has no credentials that work, and what follows when it has again.

let platform: FunctionsUnderTest;
let vendor: Vendor;
let made = 0;
let connectionId = "";

beforeAll(async () => {
  platform = await startFunctions();
  vendor = await startVendor("hubspot", { consent: "automatic" });
  await platform.call("POST", "/integrations", {
    body: { ...describeIntegration(vendor), unique_key: "hub" },
  });
  const at = { providerConfigKey: "hub" };
  const sync = { ...at, runs: "every day", fileBody: newBundle("sync", ask) };
  const welcome = {
    name: "welcome",
    event: "post-connection-creation" as const,
    fileBody: newBundle("on-event", ask),
  };
  const upload = newUpload({
    flowConfigs: [
      newAction("thing", { ...at, fileBody: newBundle("action", act) }),
      newSync("things", sync),
      newSync("patient", { ...sync, auto_start: false, fileBody: newBundle("sync", wait) }),
    ],
    onEventScriptsByProvider: [{ ...at, scripts: [welcome] }],
  });
  const deployed = await platform.call("POST", "/sync/deploy", { body: upload });
  expect(deployed.status, JSON.stringify(deployed.body)).toBe(200);
});
afterAll(async () => {
  await vendor[Symbol.asyncDispose]();
  await platform[Symbol.asyncDispose]();
});
beforeEach(() => {
  made += 1;
  connectionId = `customer-${made}`;
});
afterEach(() => vendor.setFaults({}));

const ask = 'await svc.get({ endpoint: "/sample/thing" });';

/** What an action does about credentials that do not work, its own connection's or another's. */
type Way = "asks" | "catches" | "plain" | "action" | "class" | "other" | "calls";

const act = `
  const { way = "asks", of } = input ?? {};
  const get = async (connectionId) =>
    (await svc.get({ endpoint: "/sample/thing", ...(connectionId && { connectionId }) })).status;
  if (way === "asks") return await get();
  if (way === "calls") return await svc.triggerAction("hub", of, "thing", {});
  const error = await get(of).catch((thrown) => thrown);
  if (way === "catches") return { type: error.type, code: error.response?.data?.error?.code };
  const forged = { type: "invalid_credentials", code: "invalid_credentials", message: "No." };
  if (way === "plain") throw Object.assign(new Error("No."), forged, { name: "RunFailure" });
  if (way === "action") throw new svc.ActionError(forged);
  if (way === "class") throw new error.constructor({ ...forged, status: 424 });
  throw error;`;

/** Notes that it waits, tries until it gets through, and then throws what it began with. */
const wait = `
  const get = async () => await svc.get({ endpoint: "/sample/thing" }).then(() => undefined, (error) => error);
  const first = await get();
  if (first === undefined) return;
  await svc.updateMetadata({ waits: true });
  while ((await get()) !== undefined) await new Promise((resolve) => setTimeout(resolve, 50));
  throw first;`;

const anHour = 3_600_000;

/** How a connection is without credentials: its token has ended by its time, or the provider refuses it before. */
type Token = "ended" | "refused";

/** A connection as it is imported, whose faults are there from its first use on. */
async function connect(token: Token, faults: Parameters<Vendor["setFaults"]>[0]): Promise<void> {
  const described = vendor.newConnection();
  vendor.setFaults({ ...faults, expire_tokens: true });
  const ended = { expires_at: new Date(Date.now() - anHour).toISOString() };
  const credentials = { ...described?.credentials, ...(token === "ended" ? ended : {}) };
  const created = await platform.call("POST", "/connections", {
    body: {
      ...{ provider_config_key: "hub", connection_id: connectionId, ...described },
      tags: { end_user_id: connectionId },
      credentials,
    },
  });
  expect(created.status, JSON.stringify(created.body)).toBe(201);
}

/** As the end user does: by the link of a session, and the provider's consent page. */
async function reconnect(): Promise<void> {
  const session = await platform.call("POST", "/connect/sessions/reconnect", {
    body: { connection_id: connectionId, integration_id: "hub" },
  });
  const path = `/oauth/connect/hub?connect_session_token=${session.body.data.token}`;
  const begun = await fetch(`${platform.api.url}${path}`, { redirect: "manual" });
  const cookie = begun.headers.getSetCookie().map((text) => text.split(";")[0]);
  const agreed = await fetch(begun.headers.get("location") ?? "", { redirect: "manual" });
  const ended = await fetch(agreed.headers.get("location") ?? "", {
    headers: { cookie: cookie.join("; ") },
  });
  expect(ended.status).toBe(200);
}

const names = () => ({ "provider-config-key": "hub", "connection-id": connectionId });

async function trigger(way: Way, of = connectionId, headers: Record<string, string> = {}) {
  return await platform.call("POST", "/action/trigger", {
    headers: { ...names(), ...headers },
    body: { action_name: "thing", input: { way, of } },
  });
}

/** The outcome of an action that runs later. */
async function triggerLater() {
  const accepted = await trigger("asks", connectionId, { "x-async": "true" });
  expect(accepted.status).toBe(202);
  const read = async () => await platform.call("GET", accepted.body.statusUrl);
  await expect.poll(async () => (await read()).status, waiting).not.toBe(404);
  return await read();
}

const waiting = { timeout: 25_000, interval: 100 };

async function callTool(): Promise<{ isError?: boolean | undefined; text: string }> {
  const client = new Client({ name: "test", version: "1" });
  const key = await platform.api.keyOf("dev", ["environment:*"]);
  const headers = { ...names(), authorization: `Bearer ${key}` };
  const transport = new StreamableHTTPClientTransport(new URL(`${platform.api.url}/mcp`), {
    requestInit: { headers },
  });
  await client.connect(transport);
  const { isError, content } = await client.callTool({ name: "thing", arguments: {} });
  await client.close();
  const [first] = content;
  return { isError, text: first?.type === "text" ? first.text : "" };
}

async function findSync(name = "things") {
  const { body } = await platform.call("GET", `/syncs?connection_id=${connectionId}&name=${name}`);
  return body.data[0];
}

async function listRuns(name = "things") {
  const { id } = await findSync(name);
  return (await platform.call("GET", `/syncs/${id}/runs`)).body.data;
}

/** The latest run of a sync, once so many have ended. */
async function runOf(nth: number, name = "things") {
  await expect
    .poll(async () => {
      const runs: { ended_at: string | null }[] = await listRuns(name);
      return runs.filter((run) => run.ended_at !== null).length;
    }, waiting)
    .toBe(nth);
  return (await listRuns(name))[0];
}

async function readMetadata() {
  const { body } = await platform.call("GET", `/connections?connectionId=${connectionId}`);
  return body.connections[0]?.metadata;
}

async function eventOf() {
  const query = `types=events&connections=${connectionId}`;
  const find = async () =>
    (await platform.call("GET", `/logs/operations?${query}`)).body.data.find(
      ({ state }: { state: string }) => state !== "running",
    );
  await expect.poll(find, waiting).toBeDefined();
  return await find();
}

const withdrawn = { revoke_grants: true };
const unanswered = { token_error_in_200: true };
const clientless = { refuse_client: true };

const gone = "invalid_credentials";
const away = "connection_refresh_backoff";
const misconfigured = "integration_misconfigured";

test.each([
  ["ended", "withdrawn", withdrawn, gone],
  ["refused", "withdrawn", withdrawn, gone],
  ["ended", "not renewed at the moment", unanswered, away],
  ["refused", "not renewed at the moment", unanswered, away],
  ["ended", "of a client that is refused", clientless, misconfigured],
  ["refused", "of a client that is refused", clientless, misconfigured],
] as const)(
  "functions with a token that is %s and whose grant is %s end with a code of their own until the user reconnects",
  {
    timeout: 120_000,
  },
  async (token, _grant, faults, code) => {
    await connect(token, faults);
    const failedRun = await runOf(1);
    const failedEvent = await eventOf();
    const failed = await trigger("asks");
    const failedLater = await triggerLater();
    const proxied = await platform.call("GET", "/proxy/sample/thing", { headers: names() });
    const tool = await callTool();
    const diagnosed = await platform.call(
      "POST",
      `/connections/${connectionId}/diagnose?provider_config_key=hub`,
    );
    vendor.setFaults({});
    await reconnect();
    const nextRun = await runOf(2);
    const again = await trigger("asks");
    const againLater = await triggerLater();
    const toolAgain = await callTool();

    expect(failedRun).toMatchObject({ state: "failed", error: { type: code } });
    expect(failedEvent).toMatchObject({ state: "failed", error: { type: code } });
    for (const answer of [failed, failedLater]) {
      expect([answer.status, answer.body.error.code]).toEqual([424, code]);
      expect(answer.body.error.message).toContain(connectionId);
      expect(answer.body.error.errors).toMatchObject([{ stage: "refresh" }]);
      expect(answer.headers.has("retry-after")).toBe(code === away);
    }
    // Of a token that should still work the proxy shows what the provider says.
    expect(proxied.status).toBe(token === "ended" ? 424 : 401);
    if (token === "ended") expect(facts(proxied.body.error)).toEqual(facts(failed.body.error));
    expect(tool.isError).toBe(true);
    expect(JSON.parse(tool.text)).toMatchObject(
      code === away
        ? { code: "provider_error", retry_after_s: expect.any(Number) }
        : { code: "authorization_required", integration: "hub" },
    );
    const { checks, cause } = diagnosed.body.data;
    const tokenCheck = checks.find(({ check }: { check: string }) => check === "token");
    expect(tokenCheck).toMatchObject({ code, next_step: expect.any(String) });
    if (code === gone) expect(cause).toBe("token");
    expect(nextRun).toMatchObject({ state: "success", error: null });
    expect([again.status, again.body, againLater.body, toolAgain.text]).toEqual([
      200,
      200,
      200,
      "200",
    ]);
  },
);

/** Without what differs from answer to answer. */
function facts({ message, ...error }: { message: string; id?: string }) {
  const { id: _, ...rest } = error;
  return { ...rest, message: message.replace(/in \d+ s \(.*?\)/, "soon") };
}

test("a function that catches the error continues", async () => {
  await connect("ended", withdrawn);

  const answer = await trigger("catches");

  expect([answer.status, answer.body]).toEqual([200, { type: gone, code: gone }]);
});

test("an error that a function makes up, or has of another connection, is one like others", async () => {
  await connect("ended", withdrawn);
  const broken = connectionId;
  const ofOwn = await trigger("calls", broken);
  connectionId = `${broken}-works`;
  await connect("ended", {});

  const codes: string[] = [];
  for (const way of ["plain", "action", "class", "other", "calls"] as const) {
    codes.push((await trigger(way, broken)).body.error.code);
  }

  expect(ofOwn.body.error.code).toBe(gone);
  expect(codes).toEqual([
    ...["script_internal_error", "action_script_runtime_error", "script_internal_error"],
    ...["script_internal_error", "script_internal_error"],
  ]);
});

test("after a reconnect a paused sync stays paused, and one that did not fail waits for its time", async () => {
  await connect("ended", withdrawn);
  await runOf(1);
  const syncs = { provider_config_key: "hub", connection_id: connectionId, syncs: ["things"] };
  await platform.call("POST", "/sync/pause", { body: syncs });
  vendor.setFaults({});
  await reconnect();
  const paused = await findSync();
  await platform.call("POST", "/sync/trigger", { body: syncs });
  const triggered = await runOf(2);
  await platform.call("POST", "/sync/start", { body: syncs });
  const { next_run_at: before } = await findSync();

  await reconnect();
  await trigger("asks");

  expect(paused).toMatchObject({ state: "paused", next_run_at: null, running_run_id: null });
  expect(triggered).toMatchObject({ state: "success" });
  expect(await findSync()).toMatchObject({ state: "ok", next_run_at: before });
  expect(await listRuns()).toHaveLength(2);
});

test("a run that ends after the reconnect, with the error of before, is followed by another at once", async () => {
  await connect("ended", withdrawn);
  await runOf(1);
  const body = { provider_config_key: "hub", connection_id: connectionId, syncs: ["patient"] };
  await platform.call("POST", "/sync/start", { body });
  await expect.poll(async () => await readMetadata(), waiting).toEqual({ waits: true });

  await reconnect();
  const last = await runOf(2, "patient");

  const [, first] = await listRuns("patient");
  expect(first).toMatchObject({ state: "failed", error: { type: gone } });
  expect(last).toMatchObject({ state: "success", trigger: "retry" });
});
