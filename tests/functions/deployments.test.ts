import { afterAll, beforeAll, expect, test, vi } from "vitest";
import {
  actionSource,
  type FunctionsUnderTest,
  onEventSource,
  startFunctions,
  syncSource,
} from "./setup.ts";

let platform: FunctionsUnderTest;
beforeAll(async () => {
  platform = await startFunctions();
});
afterAll(async () => await platform[Symbol.asyncDispose]());

async function deploy(name: string, type: string, code: string, more: object = {}) {
  const created = await platform.call("POST", "/functions/deployments", {
    body: {
      type: "function",
      integration_id: "crm",
      function_name: name,
      function_type: type,
      code,
      ...more,
    },
  });
  expect(created.status, JSON.stringify(created.body)).toBe(202);
  return await platform.ended(`/functions/deployments/${created.body.id}`);
}

const functionPath = (name: string) => `/integrations/crm/functions/${name}`;

async function runAction(name: string): Promise<string> {
  const headers = { "provider-config-key": "crm", "connection-id": "acme" };
  const body = { action_name: name, input: {} };
  const answer = await platform.call("POST", "/action/trigger", { headers, body });
  return `${answer.status} ${JSON.stringify(answer.body.error?.code ?? answer.body)}`;
}

test("a function is deployed from its source, shown, disabled, replaced and removed", async () => {
  const code = actionSource('"first"');

  const deployed = await deploy("greet", "action", code);
  const shown = await platform.call("GET", functionPath("greet"));
  const source = await platform.call("GET", `${functionPath("greet")}/code`);
  const first = await runAction("greet");
  await platform.call("PATCH", functionPath("greet"), { body: { enabled: false } });
  const whileDisabled = await runAction("greet");
  const again = await deploy("greet", "action", actionSource('"second"'));
  const stillDisabled = await runAction("greet");
  await platform.call("PATCH", functionPath("greet"), { body: { enabled: true } });
  const second = await runAction("greet");
  const removed = await platform.call("DELETE", `${functionPath("greet")}?type=action`);

  expect(deployed).toMatchObject({
    status: "success",
    deployed: true,
    deployed_functions: [{ name: "greet", version: "1" }],
  });
  expect(shown.body.data).toMatchObject({
    name: "greet",
    type: "action",
    enabled: true,
    source: "standalone",
    version: "1",
  });
  expect(source.body).toEqual({ type: "action", code });
  expect([first, whileDisabled, stillDisabled, second]).toEqual([
    '200 "first"',
    '404 "disabled_resource"',
    '404 "disabled_resource"',
    '200 "second"',
  ]);
  expect(again.deployed_functions).toEqual([{ name: "greet", version: "2" }]);
  expect(removed.body).toEqual({ data: { success: true } });
  expect((await platform.call("GET", functionPath("greet"))).status).toBe(404);
}, 60_000);

test("a deployment that takes records away needs allow_destructive", async () => {
  await deploy("two", "sync", syncSource("Lead: model, Deal: model", ""));
  const fewer = syncSource("Lead: model", "");

  const refused = await deploy("two", "sync", fewer);
  const allowed = await deploy("two", "sync", fewer, { allow_destructive: true });

  expect(refused).toMatchObject({ status: "failed", deployed: false });
  expect(refused.error).toMatchObject({ code: "validation_error" });
  expect(refused.error.message).toContain("Deal");
  expect(allowed).toMatchObject({ status: "success" });
  expect((await platform.call("GET", functionPath("two"))).body.data.returns).toEqual(["Lead"]);
}, 60_000);

test("a disabled sync is not run by a trigger; enabled again it is", async () => {
  await deploy(
    "halted",
    "sync",
    syncSource("Halted: model", 'await svc.get({ endpoint: "/halted" });'),
  );
  const trigger = async () =>
    await platform.call("POST", "/sync/trigger", {
      body: { provider_config_key: "crm", connection_id: "acme", syncs: ["halted"] },
    });
  const states = async () => {
    const { rows } = await platform.api.database.pool.query(
      `select r.state from runs r join functions f on f.id = r.function_id
        where f.name = 'halted' order by r.created_at`,
    );
    return rows.map(({ state }) => state);
  };
  const until = async (wanted: string[]) =>
    await vi.waitFor(async () => expect(await states()).toEqual(wanted), {
      timeout: 15_000,
      interval: 50,
    });

  await platform.call("PATCH", functionPath("halted"), { body: { enabled: false } });
  await trigger();
  await vi.waitFor(
    async () => {
      const path = "/sync/status?provider_config_key=crm&syncs=halted";
      expect((await platform.call("GET", path)).body.syncs).toMatchObject([{ status: "PAUSED" }]);
    },
    { timeout: 15_000, interval: 50 },
  );
  const askedWhileDisabled = platform.provider.asked.filter(({ path }) => path === "/halted");
  await platform.call("PATCH", functionPath("halted"), { body: { enabled: true } });
  await trigger();
  await until(["success"]);

  expect(askedWhileDisabled).toEqual([]);
  expect(platform.provider.asked.filter(({ path }) => path === "/halted")).toHaveLength(1);
});

test("a function of a project is neither replaced nor deleted by itself; of two with one name the type decides", async () => {
  const flow = (type: "action" | "sync", models: string[]) => ({
    type,
    syncName: "shared",
    providerConfigKey: "crm",
    models,
    runs: type === "sync" ? "every hour" : null,
    models_json_schema: { definitions: Object.fromEntries(models.map((name) => [name, {}])) },
    fileBody: { js: "module.exports.default = {}", ts: "" },
  });
  await platform.call("POST", "/sync/deploy", {
    body: {
      reconcile: false,
      deployMode: "single",
      flowConfigs: [flow("action", []), flow("sync", ["Shared"])],
    },
  });

  const replaced = await platform.call("POST", "/functions/deployments", {
    body: {
      type: "function",
      integration_id: "crm",
      function_name: "shared",
      function_type: "action",
      code: actionSource("1"),
    },
  });
  const deleted = await platform.call("DELETE", `${functionPath("shared")}?type=action`);
  const ambiguous = await platform.call("GET", functionPath("shared"));
  const one = await platform.call("GET", `${functionPath("shared")}?type=sync`);

  expect([replaced.status, replaced.body.error.code]).toEqual([400, "invalid_request"]);
  expect([deleted.status, deleted.body.error.code]).toEqual([400, "function_managed_by_deploy"]);
  expect([ambiguous.status, ambiguous.body.error.code]).toEqual([409, "ambiguous_function"]);
  expect(one.body.data).toMatchObject({ type: "sync", returns: ["Shared"] });
});

test("the catalogue of functions comes by integration and as tools", async () => {
  await deploy("tool", "action", actionSource("1"));
  await deploy("leaving", "on-event", onEventSource("pre-connection-deletion", ""));

  const config = await platform.call("GET", "/scripts/config");
  const tools = await platform.call("GET", "/scripts/config?format=llm");
  const forApi = await platform.call("GET", "/scripts/config?format=tools&api=anthropic");
  const listed = await platform.call("GET", "/agent/tools");
  const page = await platform.call("GET", "/integrations/crm/functions?search=TOO&limit=1");

  expect(config.body).toMatchObject([{ providerConfigKey: "crm", provider: "private-api-bearer" }]);
  expect(config.body[0]["on-events"]).toEqual(["leaving"]);
  expect(config.body[0].actions.map(({ name }: { name: string }) => name)).toContain("tool");
  expect(tools.body.data.find(({ name }: { name: string }) => name === "tool")).toEqual({
    name: "tool",
    integration: "crm",
    description: "Does it.\n- name: who it is for",
    parameters: {
      type: "object",
      properties: { name: { type: "string", description: "who it is for" } },
      required: [],
    },
  });
  const names = tools.body.data.map(({ name }: { name: string }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(names).toEqual(expect.arrayContaining(["crm_shared", "crm_shared_2"]));
  const [{ actions }] = config.body;
  for (const { input, returns } of actions)
    expect([typeof input, typeof returns]).toEqual(["object", "object"]);
  expect(actions.map(({ input }: { input: unknown }) => input)).not.toContain(null);
  expect(forApi.body.data).toContainEqual(
    expect.objectContaining({
      name: "tool",
      input_schema: expect.objectContaining({ type: "object" }),
    }),
  );
  expect(forApi.body.calls["tool"]).toEqual({
    ...{ provider_config_key: "crm", action_name: "tool", input: "arguments" },
  });
  const cost = listed.body.data.find(({ name }: { name: string }) => name === "tool");
  expect(cost).toMatchObject({ integration: "crm", action: "tool", warnings: ["no_effect"] });
  expect(cost.tokens).toBeGreaterThan(20);
  expect(page.body).toMatchObject({
    data: [{ name: "tool" }],
    pagination: { total: 1, page: 0, limit: 1 },
  });
});

test("compiling answers with the bundle, or with where the source is wrong", async () => {
  const compile = async (code: string) =>
    await platform.call("POST", "/functions/compile", { body: { code } });

  const good = await compile(actionSource("1"));
  const bad = await compile("import { createAction } from 'jackfield';\nconst = 1;");

  expect(good.status).toBe(200);
  expect(good.body.bundle_size_bytes).toBe(Buffer.byteLength(good.body.bundled_js));
  expect(bad.body.error).toMatchObject({ code: "compilation_error", errors: [{ line: 2 }] });
});

test("a bundle replaces the functions of its scope and touches no other", async () => {
  await platform.call("POST", "/integrations", {
    body: { provider: "private-api-bearer", unique_key: "erp" },
  });
  const artifact = (integrationId: string, name: string, trigger: object) => ({
    name,
    integrationId,
    trigger,
    fileBody: { js: `// ${name}`, ts: "" },
  });
  const bundle = (...names: string[]) => ({
    reconciliationScope: { kind: "integration", integrationId: "erp" },
    functions: names.map((name) => artifact("erp", name, { kind: "none" })),
  });
  const send = async (path: string, body: object) =>
    await platform.call("POST", `/functions/deployments/bundle${path}`, { body });
  const before = await platform.call("GET", "/integrations/crm/functions?limit=100");

  const first = await send("", bundle("a", "b"));
  const preview = await send("/preview", bundle("b", "c"));
  const second = await send("", bundle("b", "c"));
  const http = await send("", {
    reconciliationScope: { kind: "environment" },
    functions: [artifact("erp", "hook", { kind: "http" })],
  });
  const none = await send("", bundle());

  expect(first.body).toMatchObject({ created: [{ name: "a" }, { name: "b" }], deleted: [] });
  const change = {
    created: [{ integrationId: "erp", name: "c" }],
    updated: [],
    unchanged: [{ integrationId: "erp", name: "b" }],
    deleted: [{ integrationId: "erp", name: "a" }],
  };
  expect(preview.body).toEqual(change);
  expect(second.body).toEqual(change);
  expect([http.status, http.body.error.code]).toEqual([400, "validation_error"]);
  expect(none.body.deleted).toHaveLength(2);
  expect(await platform.call("GET", "/integrations/crm/functions?limit=100")).toMatchObject({
    body: before.body,
  });
});
