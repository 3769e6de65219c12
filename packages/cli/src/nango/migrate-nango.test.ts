import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { startThrowAwayServer } from "@jackfield/server";
import { describeIntegration, startVendor } from "@jackfield/simulator";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { startFakeNango } from "../testing/fake-nango.ts";
import { runJackfield } from "../testing/run-jackfield.ts";
import { createTestFolder } from "../testing/test-folder.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const stack = new AsyncDisposableStack();
let server: Awaited<ReturnType<typeof startThrowAwayServer>>;
let folder: string;

beforeAll(async () => {
  server = stack.use(await startThrowAwayServer());
  folder = stack.use(await createTestFolder()).path;
});
afterAll(async () => await stack.disposeAsync());

// biome-ignore lint/suspicious/noExplicitAny: the test looks into answers and compares what it finds
async function call(method: string, path: string, body?: object): Promise<any> {
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${server.newKeys?.dev}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return await response.json();
}

async function migrate(args: readonly string[], variables: Readonly<Record<string, string>> = {}) {
  return await run(["nango", ...args], variables);
}

async function run(args: readonly string[], variables: Readonly<Record<string, string>> = {}) {
  const env = {
    SVC_HOSTPORT: server.url,
    SVC_SECRET_KEY_DEV: server.newKeys?.dev ?? "",
    ...variables,
  };
  return await runJackfield({ cwd: folder, args: ["migrate", ...args], env });
}

test("a dry run reports what would come over, and the move brings it, once", async () => {
  await using vendor = await startVendor("hubspot");
  const { settings } = describeIntegration(vendor);
  await call("POST", "/integrations", { provider: "hubspot", unique_key: "hubspot", settings });
  const hubspot = { provider_config_key: "hubspot", provider: "hubspot" };
  const own = { provider_config_key: "own-api", provider: "private-api-bearer" };
  await using nango = await startFakeNango({
    integrations: [
      { unique_key: "hubspot", provider: "hubspot" },
      {
        unique_key: "own-api",
        provider: "private-api-bearer",
        integration_config: { base_url: vendor.origin },
      },
      { unique_key: "gone", provider: "no-such-provider" },
    ],
    connections: [
      {
        connection_id: "user-1",
        ...hubspot,
        credentials: { ...vendor.newConnection()?.credentials, raw: { scope: "x" } },
        connection_config: {},
        metadata: { plan: "pro" },
        tags: { end_user_id: "u1" },
      },
      { connection_id: "user-2", ...own, credentials: { type: "API_KEY", apiKey: "k2" } },
      { connection_id: "user-3", ...own },
      { connection_id: "user-4", provider_config_key: "gone", provider: "no-such-provider" },
    ],
  });
  const variables = { NANGO_SECRET_KEY: nango.key };
  const api = ["--host", nango.url];

  const planned = await migrate([...api, "--dry-run", "--json"], variables);
  const readByPlan = nango.calls.filter((line) => line.split("/").length > 2);
  const before = await call("GET", "/connections");
  nango.busy = 1;
  const moved = await migrate(api, variables);
  const read = await call(
    "GET",
    "/connections/user-1?provider_config_key=hubspot&refresh_token=true",
  );
  const other = await call("GET", "/connections/user-2?provider_config_key=own-api");
  const again = await migrate([...api, "--json", "--integration", "hubspot"], variables);

  const none = { moves: 0, exists: 0, cannot: 0 };
  expect(JSON.parse(planned.stdout)).toMatchObject({
    integrations: [
      { integration: "hubspot", fate: "exists", connections: { ...none, moves: 1 } },
      { integration: "own-api", fate: "moves", connections: { ...none, moves: 2 } },
      { integration: "gone", fate: "cannot", connections: { ...none, cannot: 1 } },
    ],
    callback_urls: [`${server.url}/oauth/callback`],
  });
  expect(readByPlan).toEqual([]);
  expect(before.connections).toEqual([]);
  expect(moved.code).toBe(1);
  expect(moved.stdout).toContain("gone: the catalogue has no provider no-such-provider");
  expect(moved.stdout).toMatch(/own-api\/user-3: .*invalid_credentials/);
  expect(moved.stdout + moved.stderr).not.toContain("k2");
  expect(read).toMatchObject({
    metadata: { plan: "pro" },
    tags: { end_user_id: "u1" },
    credentials: vendor.newConnection() === undefined ? {} : { type: "OAUTH2" },
  });
  expect(other.credentials).toEqual({ type: "API_KEY", apiKey: "k2" });
  expect(again.code).toBe(0);
  expect(JSON.parse(again.stdout).integrations).toMatchObject([
    { integration: "hubspot", fate: "exists", connections: { ...none, exists: 1 } },
  ]);
});

test("twelve hundred connections are read page by page, from the API and from an export", async () => {
  const integrations = [{ unique_key: "many", provider: "private-api-bearer" }];
  const connections = Array.from({ length: 1200 }, (_, index) => ({
    connection_id: `c${index}`,
    provider_config_key: "many",
    provider: "private-api-bearer",
    credentials: { type: "API_KEY", apiKey: "k" },
  }));
  await using nango = await startFakeNango({ integrations, connections });
  await writeFile(join(folder, "export.json"), JSON.stringify({ integrations, connections }));
  const variables = { OTHER_KEY: nango.key };

  const byApi = await migrate(
    ["--host", `${nango.url}/`, "--key-env", "OTHER_KEY", "--dry-run"],
    variables,
  );
  const byFile = await migrate(["--file", "export.json", "--dry-run"]);

  expect(byApi).toMatchObject({ code: 0, stdout: byFile.stdout });
  expect(byApi.stdout).toMatch(/many +private-api-bearer +would be created +1200 +0 +0\n/);
  expect(nango.calls).toEqual(["GET /integrations", ...Array(3).fill("GET /connections")]);
});

test("connections are read through, handed over and given back by the command line", async () => {
  const of = { provider_config_key: "dual", provider: "oauth2-generic" };
  const expires_at = new Date(Date.now() + 3_600_000).toISOString();
  const credentials = (token: string) => ({
    ...{ type: "OAUTH2", access_token: `a-${token}`, refresh_token: `r-${token}`, expires_at },
  });
  const key = { provider_config_key: "dual-key", provider: "private-api-bearer" };
  await using nango = await startFakeNango({
    integrations: [
      {
        ...{ unique_key: "dual", provider: "oauth2-generic" },
        credentials: { type: "OAUTH2", client_id: "c", client_secret: "s" },
        integration_config: {
          authorization_url: "http://127.0.0.1:9/authorize",
          token_url: "http://127.0.0.1:9/token",
          base_url: "http://127.0.0.1:9",
        },
      },
      {
        ...{ unique_key: "dual-key", provider: "private-api-bearer" },
        integration_config: { base_url: "http://127.0.0.1:9" },
      },
    ],
    connections: [
      { connection_id: "ada", ...of, credentials: credentials("ada") },
      { connection_id: "bo", ...of, credentials: credentials("bo") },
      { connection_id: "cy", ...key, credentials: { type: "API_KEY", apiKey: "k" } },
    ],
  });
  const none = await run(["hand-over"]);

  const read = await migrate(["--host", nango.url, "--read-through"], {
    NANGO_SECRET_KEY: nango.key,
  });
  const one = await run(["hand-over", "-i", "dual", "-c", "ada", "--json"]);
  const status = await run(["status"]);
  const rest = await run(["hand-over", "-i", "dual"]);
  const back = await run(["hand-back", "-i", "dual", "-c", "ada"]);
  const { connections } = await call("GET", "/connections?integrationId=dual,dual-key");
  const listed = await run(["status", "--json"]);

  expect(none).toMatchObject({ code: 1, stderr: expect.stringContaining("--read-through") });
  expect(read, read.stdout + read.stderr).toMatchObject({ code: 0 });
  expect(JSON.parse(one.stdout).connections).toMatchObject([
    { connection_id: "ada", is_done: true, old_side: "deleted" },
  ]);
  expect(status.stdout).toMatch(/\nnango +1 +1 +0 +0\n/);
  expect(status.stdout).toContain("dual/bo (read_through)");
  expect(rest.stdout).toBe("1 handed over, 0 refused\n");
  expect(back.stdout).toBe("1 handed back, 0 refused\n");
  const readThrough = connections.map(
    (each: { connection_id: string; read_through: string | null }) =>
      `${each.connection_id} ${each.read_through === null ? "here" : "there"}`,
  );
  expect(readThrough.toSorted()).toEqual(["ada there", "bo here", "cy here"]);
  expect(JSON.parse(listed.stdout).old_platform.connections).toMatchObject({
    ...{ read_through: 1, handed_over: 1 },
  });
});

test("a missing key, a wrong key and a file that is no export are named", async () => {
  await using nango = await startFakeNango({ integrations: [], connections: [] });
  await writeFile(join(folder, "other.json"), '{"connections":[]}');

  const missing = await migrate([]);
  const wrong = await migrate(["--host", nango.url], { NANGO_SECRET_KEY: "wrong-key-77" });
  const file = await migrate(["--file", "other.json"]);

  expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining("NANGO_SECRET_KEY") });
  expect(wrong.code).toBe(7);
  expect(wrong.stderr).toContain("unknown_key");
  expect(wrong.stderr).not.toContain("wrong-key-77");
  expect(file.stderr).toContain("other.json is not an export");
});
