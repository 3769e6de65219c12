import { afterAll, beforeAll, expect, test } from "vitest";
import { Browser } from "../../packages/server/src/agents/testing/browser.ts";
import { createEmptyDatabase } from "../../packages/server/src/foundation/testing/index.ts";
import { type DataFolder, makeDataFolder } from "../launcher/data-folder.ts";
import { type PlatformProcess, startPlatformProcess } from "../launcher/platform-process.ts";
import { deployment, TASK_PREFIX } from "./conformance/fixture.ts";
import { startHeaderProxy } from "./conformance/header-proxy.ts";
import { leftOut, leftOutOfTasks, taskScenarios } from "./conformance/left-out.ts";
import { listRequired, runSuite } from "./conformance/run-suite.ts";
import { findFreePort, startVerifier } from "./conformance/verifier.ts";

// The official conformance suite, against the actions of `conformance/fixture.ts`.

const MOST_ROUNDS = 3;

let database: Awaited<ReturnType<typeof createEmptyDatabase>>;
let folder: DataFolder;
let platform: PlatformProcess;
let proxy: Awaited<ReturnType<typeof startHeaderProxy>>;

beforeAll(async () => {
  database = await createEmptyDatabase();
  folder = await makeDataFolder();
  platform = await startPlatformProcess({
    dataDir: folder.path,
    env: {
      SVC_DATABASE_URL: database.connectionString,
      SVC_LOG_LEVEL: "silent",
      SVC_MCP_TASK_AFTER: "3",
    },
  });
  const integration_config = { base_url: "https://api.example.com" };
  await api("POST", "/integrations", {
    ...{ provider: "private-api-bearer", unique_key: "fixture", integration_config },
  });
  await api("POST", "/connections", {
    ...{ provider_config_key: "fixture", connection_id: "c1", tags: { end_user_id: "ada" } },
    credentials: { type: "API_KEY", apiKey: "k" },
  });
  await api("POST", "/sync/deploy", deployment);
  proxy = await startHeaderProxy(platform.url, {
    ...{ authorization: authorization(), "provider-config-key": "fixture", "connection-id": "c1" },
  });
});
afterAll(async () => {
  await proxy[Symbol.asyncDispose]();
  await platform.stop();
  await folder[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

function authorization(): string {
  return `Bearer ${platform.keys.get("dev")}`;
}

async function api(
  method: string,
  path: string,
  body?: object,
): Promise<ReturnType<typeof JSON.parse>> {
  const response = await fetch(platform.url + path, {
    ...{ method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) },
    headers: { authorization: authorization(), "content-type": "application/json" },
  });
  const text = await response.text();
  expect(response.status, `${path}: ${text}`).toBeLessThan(300);
  return JSON.parse(text);
}

test.each(["2025-11-25", "2026-07-28"] as const)(
  "every scenario that revision %s requires passes, but for those that are left out with a reason",
  { timeout: 600_000 },
  async (revision) => {
    const required = await listRequired(revision);

    const mostOf = (scenario: string): number => {
      const left = leftOut[revision][scenario];
      return left === undefined ? 0 : (left.checks?.length ?? Number.POSITIVE_INFINITY);
    };
    const outcome = new Map<string, readonly string[]>();
    // The suite waits half a second for the parts of an answer, which a busy machine may miss.
    for (let round = 0; round < MOST_ROUNDS; round += 1) {
      const checks = await runSuite([
        ...["server", "--url", `${proxy.url}/mcp`, "--requirements", revision],
        ...["--timeout", "60000"],
      ]);
      for (const [scenario, failed] of checks) {
        const before = outcome.get(scenario);
        if (before === undefined || failed.length < before.length) outcome.set(scenario, failed);
      }
      if (required.every((each) => (outcome.get(each)?.length ?? 0) <= mostOf(each))) break;
    }

    const failed = required.flatMap((scenario) => {
      const checks = outcome.get(scenario);
      if (checks === undefined) return [[scenario, "was not run"]];
      return checks.length === 0 ? [] : [[scenario, checks]];
    });
    const expected = required.flatMap((scenario) => {
      const left = leftOut[revision][scenario];
      return left === undefined ? [] : [[scenario, left.checks ?? expect.anything()]];
    });
    expect(Object.fromEntries(failed)).toEqual(Object.fromEntries(expected));
  },
);

test("a session passes every scenario of the extension for tasks, but for those that are left out with a reason", {
  timeout: 180_000,
}, async () => {
  await api("PUT", "/agent/toolsets/tasks", {
    ...{ mode: "direct", tools: [{ integration: "fixture" }], policy: { preset: "trusted" } },
  });
  const { data: session } = await api("POST", "/agent/sessions", {
    ...{ toolset: "tasks", end_user_id: "ada" },
  });
  const bearer = { authorization: `Bearer ${session.token}` };
  await using own = await startHeaderProxy(platform.url, bearer, `fixture__${TASK_PREFIX}`);

  const outcome = new Map<string, readonly string[]>();
  const isAsExpected = (scenario: string) =>
    outcome.get(scenario)?.length === (leftOutOfTasks[scenario]?.checks?.length ?? 0);
  // On a busy machine a short call may take long enough to become a task.
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const left = taskScenarios.filter((scenario) => !isAsExpected(scenario));
    await Promise.all(
      left.map(async (scenario) => {
        const of = ["server", "--url", `${own.url}/mcp/tasks`, "--scenario", scenario];
        const checks = await runSuite([...of, "--timeout", "90000"]);
        outcome.set(scenario, checks.get(scenario) ?? ["was not run"]);
      }),
    );
  }

  const failed = [...outcome].filter(([, checks]) => checks.length > 0);
  const expected = Object.entries(leftOutOfTasks).map(([scenario, { checks }]) => [
    scenario,
    checks,
  ]);
  expect(Object.fromEntries(failed)).toEqual(Object.fromEntries(expected));
});

test("the authorization server of a toolset passes the suite's scenarios for authorization servers", {
  timeout: 120_000,
}, async () => {
  await using verifier = await startVerifier(
    "ada",
    async (id, body) => await api("POST", `/agent/authorizations/${id}`, body),
  );
  await api("PUT", "/agent/sign-in", { verifier_url: verifier.url, dynamic_registration: true });
  const { data: toolset } = await api("PUT", "/agent/toolsets/authorized", {
    ...{ tools: [{ integration: "fixture" }], authorization: { mode: "hosted" } },
    policy: { preset: "trusted" },
  });
  const metadata = await getJson(
    toolset.mcp_url.replace("/mcp/", "/.well-known/oauth-protected-resource/mcp/"),
  );
  const [issuer = ""] = metadata.authorization_servers;
  const port = await findFreePort();
  const callback = `http://127.0.0.1:${port}/callback`;
  const client = await api("POST", `${new URL(issuer).pathname}/register`, {
    ...{ client_name: "Conformance", redirect_uris: [callback] },
  });
  const settings = ["--client-id", client.client_id, "--resource", toolset.mcp_url];

  const outcome = await runSuite(
    ["authorization", "--url", issuer, ...settings, "--port", String(port)],
    (line) => {
      if (line.startsWith(`${issuer}/authorize`)) void allow(line);
    },
  );

  expect(Object.fromEntries(outcome)).toEqual({
    "authorization-server-metadata-endpoint": [],
    "authorization-code-grant": [],
  });
  // The suite also counts a scenario that it could not try; this one has let a client in.
  const { data } = await api("GET", "/agent/sessions?toolset=authorized");
  expect(data).toMatchObject([{ toolset: "authorized", end_user_id: "ada", state: "open" }]);
});

/** As the end user does in their browser, up to the page of the client. */
async function allow(address: string): Promise<void> {
  const browser = new Browser();
  await browser.press(await browser.open(address), "allow");
}

async function getJson(address: string): Promise<ReturnType<typeof JSON.parse>> {
  return await (await fetch(address)).json();
}
