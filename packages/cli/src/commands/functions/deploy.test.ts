import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { type DeploymentPlan, deployment } from "@jackfield/contract";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { runJackfield } from "../../testing/run-jackfield.ts";
import { createTestFolder, type TestFolder } from "../../testing/test-folder.ts";

// Each command type-checks a project: slow where many share a core.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const noChanges: DeploymentPlan = {
  newSyncs: [],
  updatedSyncs: [],
  deletedSyncs: [],
  newActions: [],
  updatedActions: [],
  deletedActions: [],
  newOnEventScripts: [],
  updatedOnEventScripts: [],
  deletedOnEventScripts: [],
  deletedModels: [],
};
const confirmationPath = "/sync/deploy/confirmation";
const deployPath = "/sync/deploy";

interface Call {
  readonly path: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

let folder: TestFolder;
let server: Server;
let host: string;
let calls: Call[];
let answers: Record<string, { status: number; body: unknown }>;

beforeAll(async () => {
  folder = await createTestFolder();
  await runJackfield({ cwd: folder.path, args: ["init"] });
  server = createServer((request, response) => void recordAndAnswer(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  host = `http://127.0.0.1:${address.port}`;
});
afterAll(async () => {
  server.close();
  await folder[Symbol.asyncDispose]();
});
beforeEach(() => {
  calls = [];
  answers = {
    [confirmationPath]: { status: 200, body: noChanges },
    [deployPath]: { status: 200, body: [] },
  };
});

async function recordAndAnswer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const sent = await text(request);
  const body: unknown = sent === "" ? undefined : JSON.parse(sent);
  calls.push({ path: request.url, headers: request.headers, body });
  const answer = answers[request.url ?? ""] ?? { status: 500, body: null };
  response.writeHead(answer.status, { "content-type": "application/json" });
  response.end(JSON.stringify(answer.body));
}

const deploy = async (...args: string[]) =>
  await runJackfield({
    cwd: folder.path,
    args: ["deploy", "dev", ...args],
    env: { SVC_SECRET_KEY_DEV: "key-of-dev", SVC_SECRET_KEY: "other", SVC_HOSTPORT: `${host}/` },
  });

test("shows the plan, then deploys what it compiled", async () => {
  const planned = { name: "contacts", providerConfigKey: "crm", connections: 2 };
  answers[confirmationPath] = { status: 200, body: { ...noChanges, newSyncs: [planned] } };
  answers[deployPath] = {
    status: 200,
    body: [
      {
        id: 1,
        name: "contacts",
        version: "1",
        providerConfigKey: "crm",
        type: "sync",
        last_deployed: "2026-01-01T00:00:00.000Z",
        input: null,
        models: ["Contact"],
        runs: "every hour",
      },
    ],
  };

  const outcome = await deploy();

  expect(outcome).toMatchObject({ code: 0, stderr: "" });
  expect(outcome.stdout).toContain("+ sync     crm/contacts (2 connections)");
  expect(outcome.stdout).toContain("sync     crm/contacts (version 1, every hour)");
  expect(calls.map(({ path }) => path)).toEqual([confirmationPath, deployPath]);
  for (const { headers } of calls) {
    expect(headers.authorization).toBe("Bearer key-of-dev");
    expect(headers["user-agent"]).toMatch(/^svc-cli\/\d+\.\d+\.\d+$/);
  }
  const sent = deployment.parse(calls[1]?.body);
  expect(deployment.parse(calls[0]?.body)).toEqual(sent);
  expect(sent).toMatchObject({ reconcile: true, deployMode: "all" });
  expect(sent.flowConfigs).toMatchObject([
    {
      type: "sync",
      syncName: "contacts",
      providerConfigKey: "crm",
      models: ["Contact"],
      runs: "every hour",
      auto_start: true,
    },
    { type: "action", syncName: "create-contact", providerConfigKey: "crm", runs: null },
  ]);
  for (const flow of sent.flowConfigs) {
    const needed = flow.input === undefined ? flow.models : [...flow.models, flow.input];
    expect(Object.keys(flow.models_json_schema?.definitions ?? {})).toEqual(
      expect.arrayContaining(needed),
    );
    expect(flow.fileBody.ts).toContain("export default create");
    expect(flow.sourceMap).toContain("contact.ts");
  }
});

const createdContact = {
  ...{ id: 2, name: "create-contact", version: "1", providerConfigKey: "crm", type: "action" },
  ...{ last_deployed: "2026-01-01T00:00:00.000Z", input: "Contact", models: [], runs: null },
};

test("says what deployed actions take in a model's context, and what all tools take together", async () => {
  const tool = { name: "create-contact", integration: "crm", action: "create-contact" };
  const other = { name: "find", integration: "other", action: "find", tokens: 900, warnings: [] };
  answers[deployPath] = { status: 200, body: [createdContact] };
  answers["/agent/tools"] = {
    status: 200,
    body: {
      data: [{ ...tool, tokens: 215, warnings: ["no_description"] }, other],
      ...{ tokens: 1115, left_out: [] },
    },
  };

  const { code, stdout } = await deploy();

  expect(code).toBe(0);
  expect(stdout).toContain("Tokens in a model's context, as tools:");
  expect(stdout).toContain("   215 crm/create-contact: no description");
  expect(stdout).toContain("  1115 all 2 tools of the environment");
  expect(stdout).not.toContain("other/find");
  expect(calls.at(-1)?.path).toBe("/agent/tools");
});

test("a key that may not read tools deploys all the same", async () => {
  answers[deployPath] = { status: 200, body: [createdContact] };
  const error = { code: "forbidden", message: "The key lacks a scope." };
  answers["/agent/tools"] = { status: 403, body: { error } };

  const { code, stdout, stderr } = await deploy();

  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toContain("crm/create-contact (version 1)");
  expect(stdout).not.toContain("Tokens");
});

test("shows what the server warns of, and deploys all the same", async () => {
  const warnings = ['onWebhook of the sync "contacts" never runs'];
  answers[confirmationPath] = { status: 200, body: { ...noChanges, warnings } };

  const outcome = await deploy();

  expect(outcome).toMatchObject({ code: 0, stderr: `warning: ${warnings[0]}\n` });
  expect(calls.map(({ path }) => path)).toEqual([confirmationPath, deployPath]);
});

test("removes nothing without being asked to", async () => {
  const planned = { name: "deals", providerConfigKey: "crm", connections: 1 };
  const plan = { ...noChanges, deletedSyncs: [planned], deletedModels: ["Deal"] };
  answers[confirmationPath] = { status: 200, body: plan };

  const refused = await deploy("--json");
  const callsOfRefused = calls.length;
  const allowed = await deploy("--allow-destructive");

  expect(refused.code).toBe(6);
  expect(refused.stderr).toContain("- sync     crm/deals (1 connection)");
  expect(refused.stderr).toContain("--allow-destructive");
  expect(JSON.parse(refused.stdout)).toEqual({ plan, deployed: null });
  expect(callsOfRefused).toBe(1);
  expect(allowed.code).toBe(0);
  expect(calls.map(({ path }) => path).slice(1)).toEqual([confirmationPath, deployPath]);
});

test("--plan says what breaks, deploys nothing, and ends with a code of its own", async () => {
  const fn = { providerConfigKey: "crm", connections: 2, runs_24h: 1 };
  const message = "The input: mail is new and required.";
  const changed = {
    ...fn,
    type: "action",
    name: "create-contact",
    effect: "compatible",
    parts: [],
    consumers: [
      { kind: "key", id: "k1", name: "backend", uses: 12, last_used_at: "2026-01-01T00:00:00Z" },
      { kind: "webhook", id: null, name: "https://a.example", uses: null, last_used_at: null },
    ],
  };
  const broken = {
    ...changed,
    effect: "breaking",
    parts: [{ part: "input", effect: "breaking", message }],
  };
  const path = `${confirmationPath}?details=true`;
  answers[path] = { status: 200, body: { ...noChanges, impact: [broken] } };

  const breaking = await deploy("--plan");
  answers[path] = { status: 200, body: { ...noChanges, impact: [changed] } };
  const compatible = await deploy("--plan", "--json");

  expect(breaking).toMatchObject({ code: 9, stderr: "" });
  expect(breaking.stdout).toContain(
    `! action   crm/create-contact (2 connections), 1 run in the last 24 hours\n      breaking: ${message}`,
  );
  expect(breaking.stdout).toContain(
    "used in the last 30 days by key backend (12 times), webhook https://a.example",
  );
  expect(compatible.code).toBe(0);
  expect(JSON.parse(compatible.stdout)).toMatchObject({
    plan: { impact: [changed] },
    deployed: null,
  });
  expect(calls.map((call) => call.path)).toEqual([path, path]);
});

test("shows code and message of the server's refusal", async () => {
  answers[deployPath] = {
    status: 409,
    body: { error: { code: "concurrent_deployment", message: "Another one is running." } },
  };

  const outcome = await deploy("--action", "create-contact");

  expect(calls.at(-1)?.body).toMatchObject({ deployMode: "single" });
  expect(outcome.code).toBe(6);
  expect(outcome.stderr).toContain("409 concurrent_deployment: Another one is running.");
  expect(outcome.stderr).not.toContain("key-of-dev");
});

test("reads the project's .env and says which variable is missing", async () => {
  const run = async (environment: string) =>
    await runJackfield({ cwd: folder.path, args: ["deploy", environment] });
  await writeFile(
    join(folder.path, ".env"),
    `SVC_SECRET_KEY_EU_1=from-file\nSVC_HOSTPORT=${host}\n`,
  );

  const found = await run("eu-1");
  const missing = await run("dev");

  expect(found.code).toBe(0);
  expect(calls[0]?.headers.authorization).toBe("Bearer from-file");
  expect(missing.code).toBe(7);
  expect(missing.stderr).toContain("set SVC_SECRET_KEY_DEV");
  expect(missing.stderr).toContain("jackfield keys create --environment dev");
});
