import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { environments } from "#environments";
import type { EnvironmentContext } from "#foundation";
import { deployFunctions, functions } from "#functions";
import {
  insertTestConnection,
  insertTestIntegration,
  newAction,
  newBundle,
  newUpload,
} from "#functions/testing";
import { integrations } from "#integrations";
import { flushLogs } from "#logs";
import { type TestApp, testApp } from "#testing";
import { actions } from "./slice.ts";
import { triggerAction } from "./trigger-action.ts";

let app: TestApp;
let ctx: EnvironmentContext;

beforeAll(async () => {
  app = await testApp({
    slices: [actions, environments, functions, integrations],
    runsFunctions: true,
  });
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
});

beforeEach(async () => {
  ctx = await app.addEnvironment();
  const integration = await insertTestIntegration(ctx, "crm");
  await insertTestConnection(ctx, integration, "c1");
  await insertTestConnection(ctx, integration, "c2");
});

async function deploy(actions: Record<string, string>): Promise<void> {
  const flowConfigs = Object.entries(actions).map(([name, body]) =>
    newAction(name, { fileBody: newBundle("action", body) }),
  );
  await deployFunctions(ctx, newUpload({ flowConfigs }));
}

async function run(actionName: string, input?: unknown): Promise<unknown> {
  const trigger = { integrationKey: "crm", connectionId: "c1", actionName, input };
  return JSON.parse(Buffer.from(await triggerAction(ctx, trigger)).toString());
}

test("an action calls another with any connection of its environment, each under its operation", async () => {
  await deploy({
    outer: `return { inner: await svc.triggerAction("crm", "c2", "inner", { n: 1 }) };`,
    inner: `return { got: input, for: svc.connectionId };`,
  });

  expect(await run("outer")).toEqual({ inner: { got: { n: 1 }, for: "c2" } });
  await flushLogs(ctx);
  const { rows } = await sql<{ name: string }>`
    select function ->> 'name' as name from operations
     where environment_id = ${ctx.environment.id} and state = 'success' and type = 'action'`.execute(
    ctx.db,
  );
  expect(rows.map(({ name }) => name).sort()).toEqual(["inner", "outer"]);
});

test("actions go 4 deep, and no deeper", async () => {
  await deploy({
    count: `return input === 0 ? 0 : 1 + (await svc.triggerAction("crm", "c1", "count", input - 1));`,
  });

  expect(await run("count", 4)).toBe(4);
  await expect(run("count", 5)).rejects.toMatchObject({
    message: expect.stringContaining("4 levels deep"),
  });
});

test("a failure of an inner action has its code; of another environment there is nothing to call", async () => {
  await deploy({
    outer: `return await svc.triggerAction("crm", input, "inner").catch(({ type, payload }) => ({ type, payload }));`,
    inner: `throw new svc.ActionError({ message: "no", id: 7 });`,
  });
  const elsewhere = await app.addEnvironment();
  const integration = await insertTestIntegration(elsewhere, "crm");
  await insertTestConnection(elsewhere, integration, "theirs");

  expect(await run("outer", "c1")).toEqual({
    type: "action_script_runtime_error",
    payload: { message: "no", id: 7 },
  });
  expect(await run("outer", "theirs")).toMatchObject({ type: "unknown_connection" });
});

test("a function reads its integration, and its locks end with the run", async () => {
  await deploy({
    read: `const { unique_key, provider } = await svc.getIntegration();
      return { unique_key, provider, webhook: await svc.getWebhookURL() };`,
    lock: `return [await svc.tryAcquireLock({ key: "k", ttlMs: 60000 }), await svc.tryAcquireLock({ key: "k", ttlMs: 60000 })];`,
  });

  expect(await run("read")).toMatchObject({ unique_key: "crm", provider: "unauthenticated" });
  expect(await run("lock")).toEqual([true, true]);
  expect(await run("lock")).toEqual([true, true]);
});
