import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { createServerDatabase } from "../../packages/server/src/foundation/testing/index.ts";
import { apiOf } from "../journeys/api.ts";
import { makeDataFolder } from "../launcher/data-folder.ts";
import { startPlatformProcess } from "../launcher/platform-process.ts";

/** Calls what `svc` offers besides records, and tells what came of it. */
const EVERYTHING = `
  const told = {};
  told.facts = [svc.connectionId, svc.providerConfigKey, svc.provider, svc.environmentName, svc.scriptType, svc.isCLI];
  told.get = (await svc.get({ endpoint: "/echo", params: { a: [1, 2], none: undefined } })).data;
  told.retried = (await svc.get({ endpoint: "/busy", retries: 1, retryHeader: { after: "x-wait" } })).data;
  told.bytes = (await svc.get({ endpoint: "/echo", responseType: "arraybuffer" })).data.length > 0;
  const moved = { endpoint: "/moved", headers: { "x-own": "2" } };
  told.kept = (await svc.get(moved)).data;
  told.forwarded = (await svc.get({ ...moved, forwardHeadersOnRedirect: true })).data;
  told.pages = [];
  for await (const page of svc.paginate({ endpoint: "/pages", paginate: { type: "cursor", cursor_name_in_request: "after", cursor_path_in_response: "next", response_path: "items" } })) told.pages.push(page);
  told.token = await svc.getToken();
  await svc.setMetadata({ a: 1, fieldMapping: { x: "y" } });
  await svc.updateMetadata({ b: 2 });
  told.metadata = await svc.getMetadata();
  told.mapping = await svc.getFieldMapping();
  told.connection = (await svc.getConnection()).connection_id;
  told.variables = await svc.getEnvironmentVariables();
  told.integration = (await svc.getIntegration()).unique_key;
  told.webhook = await svc.getWebhookURL();
  await svc.saveCheckpoint({ page: 3, at: new Date(0) });
  told.checkpoint = await svc.getCheckpoint();
  await svc.clearCheckpoint();
  told.cleared = await svc.getCheckpoint();
  told.locks = [await svc.tryAcquireLock({ key: "k", ttlMs: 60000 }), await svc.releaseLock({ key: "k" }), await svc.releaseLock({ key: "k" })];
  told.action = await svc.triggerAction("api", "c1", "add", { n: 1 });
  await svc.startSync("api", ["contacts"], "c1");
  await svc.triggerSync("api", "c1", "contacts", { reset: true });
  told.fetch = await (await fetch(input.origin + "/echo?by=fetch", { headers: { "x-own": "1" } })).json();
  told.uncontrolled = (await svc.uncontrolledFetch({ url: new URL(input.origin + "/gone") })).status;
  told.refused = await svc.uncontrolledFetch({ url: new URL("http://10.1.2.3/") }).catch((error) => error.payload.code);
  told.parsed = (await svc.zodValidateInput({ zodSchema: { safeParseAsync: async (data) => ({ success: true, data }) }, input: 1 })).data;
  await svc.log("done", { told: 1 }, { level: "error" });
  return told;`;

function bundleOf(type: string, body: string, extra = ""): { js: string; ts: string } {
  const js = `const any = { safeParse: (data) => ({ success: true, data }), safeParseAsync: async (data) => ({ success: true, data }) };
    module.exports.default = { type: "${type}", input: any, output: any, ${extra} exec: async (svc, input) => { ${body} } };`;
  return { js, ts: "" };
}

let busy = 0;
function answer(request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? "/", "http://upstream.test");
  const [status, body, headers = {}] = choose(url, request);
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}

function choose(
  { pathname, searchParams }: URL,
  { headers }: IncomingMessage,
): [status: number, body: unknown, headers?: Record<string, string>] {
  if (pathname === "/pages") {
    const after = Number(searchParams.get("after") ?? 0);
    return [200, { items: [after + 1], next: after < 2 ? after + 1 : null }];
  }
  if (pathname === "/busy") {
    busy += 1;
    return busy === 1 ? [503, {}, { "x-wait": "0" }] : [200, { attempts: busy }];
  }
  if (pathname === "/gone") return [410, {}];
  if (pathname === "/moved") {
    // Another origin by its name, the same server by its address.
    return [302, {}, { location: `http://localhost:${headers.host?.split(":")[1]}/echo` }];
  }
  const { authorization, "x-own": own } = headers;
  return [200, { query: Object.fromEntries(searchParams), authorization, own }];
}

test("an action uses all that svc offers, in a server as it is run", async () => {
  const upstream = createServer(answer);
  await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${toAddress(upstream.address()).port}`;
  await using database = await createServerDatabase();
  await using folder = await makeDataFolder();
  const key = randomUUID();
  const platform = await startPlatformProcess({
    dataDir: folder.path,
    env: { SVC_DATABASE_URL: database.connectionString, SVC_BOOTSTRAP_KEY: key },
  });
  const api = apiOf(platform.url, key);
  await api("POST", "/integrations", {
    body: {
      provider: "private-api-bearer",
      unique_key: "api",
      integration_config: { base_url: origin },
    },
  });
  const shared = { providerConfigKey: "api", models: [] };
  const deployed = await api("POST", "/sync/deploy", {
    body: {
      flowConfigs: [
        {
          ...shared,
          type: "action",
          syncName: "all",
          runs: null,
          fileBody: bundleOf("action", EVERYTHING),
        },
        {
          ...shared,
          type: "action",
          syncName: "add",
          runs: null,
          fileBody: bundleOf("action", "return input.n + 1;"),
        },
        {
          ...shared,
          ...{ type: "sync", syncName: "contacts", models: ["Contact"], runs: "every day" },
          models_json_schema: { definitions: { Contact: { type: "object" } } },
          fileBody: bundleOf("sync", "", "models: { Contact: any },"),
        },
      ],
      reconcile: false,
    },
  });
  expect(deployed.body).toHaveLength(3);
  const imported = await api("POST", "/connections", {
    body: {
      provider_config_key: "api",
      connection_id: "c1",
      credentials: { type: "API_KEY", apiKey: "secret-token" },
    },
  });
  expect(imported.body).toMatchObject({ connection_id: "c1" });

  const result = await api("POST", "/action/trigger", {
    headers: { "provider-config-key": "api", "connection-id": "c1" },
    body: { action_name: "all", input: { origin } },
  });

  const authorization = "Bearer secret-token";
  expect(result.body).toMatchObject({
    facts: ["c1", "api", "private-api-bearer", "dev", "action", false],
    get: { query: { a: "1,2" }, authorization },
    retried: { attempts: 2 },
    bytes: true,
    forwarded: { own: "2" },
    pages: [[1], [2], [3]],
    token: { type: "API_KEY", apiKey: "secret-token" },
    metadata: { a: 1, b: 2, fieldMapping: { x: "y" } },
    mapping: { x: "y" },
    connection: "c1",
    variables: [],
    integration: "api",
    checkpoint: { page: 3, at: "1970-01-01T00:00:00.000Z" },
    cleared: null,
    locks: [true, true, false],
    action: 2,
    fetch: { query: { by: "fetch" }, own: "1" },
    uncontrolled: 410,
    refused: "url_not_allowed",
    parsed: 1,
  });
  for (const answer of [result.body.fetch, result.body.kept, result.body.forwarded]) {
    expect(answer).not.toHaveProperty("authorization");
  }
  expect(result.body.kept).not.toHaveProperty("own");
  await expect
    .poll(
      async () => {
        const { body } = await api("GET", "/sync/status?syncs=contacts&provider_config_key=api");
        return body.syncs[0].status;
      },
      { timeout: 20_000 },
    )
    .toBe("SUCCESS");
  expect(await platform.stop()).toBe(0);
  upstream.close();
});

// A server that listens on a port has an address with one.
function toAddress(address: ReturnType<ReturnType<typeof createServer>["address"]>): AddressInfo {
  return address as AddressInfo;
}
