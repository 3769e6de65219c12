import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestContext, type TestContext } from "#foundation/testing";
import { integrate } from "../testing/accounts.ts";
import { putToolset } from "./put-toolset.ts";
import { findToolset } from "./store.ts";
import { hasTool, leavesTool, narrowBudget, type ToolsetSettings } from "./toolset.ts";

let installation: TestContext;
beforeAll(async () => {
  installation = await createTestContext();
  await integrate(installation.ctx, "crm");
});
afterAll(async () => await installation[Symbol.asyncDispose]());

const settings: ToolsetSettings = {
  ...{ description: "", mode: "direct", tools: [{ integration: "crm" }] },
};

test("versions of a toolset stay as they were, and the same settings make no new one", async () => {
  const { ctx } = installation;
  const put = async (change: object) =>
    await putToolset(ctx, { name: "helper", settings: { ...settings, ...change } });

  const versions = [await put({}), await put({}), await put({ effects: ["read"] })];
  const first = await findToolset(ctx.db, ctx.environment.id, { name: "helper", version: 1 });
  const other = await installation.addEnvironment();

  expect(versions.map(({ version }) => version)).toEqual([1, 1, 2]);
  expect(first).toMatchObject({ version: 1, settings });
  expect(first?.settings).not.toHaveProperty("effects");
  expect(await findToolset(ctx.db, other.environment.id, { name: "helper" })).toBeUndefined();
  await expect(put({ tools: [{ integration: "none" }] })).rejects.toThrow(/none/);
  await expect(
    sql`update agent_toolset_versions set settings = '{}'`.execute(ctx.db),
  ).rejects.toThrow(/never changed/);
});

test("what a toolset has and a policy leaves is decided by integration, action and effect", () => {
  const tool = { integration: "crm", action: "find", effect: "read" as const, sends: false };
  const only = (change: Partial<ToolsetSettings>) => hasTool({ ...settings, ...change }, tool);

  expect(only({})).toBe(true);
  expect(only({ tools: [{ integration: "mail" }] })).toBe(false);
  expect(only({ tools: [{ integration: "crm", actions: ["other"] }] })).toBe(false);
  expect(only({ effects: ["write", "destructive"] })).toBe(false);
  expect(leavesTool({}, tool)).toBe(true);
  expect(leavesTool({ integrations: ["mail"] }, tool)).toBe(false);
  expect(leavesTool({ actions: ["other"] }, tool)).toBe(false);
  expect(leavesTool({ effects: ["write"] }, tool)).toBe(false);
});

test("of two budgets the smaller number holds, each by itself", () => {
  expect(narrowBudget({ calls: 5, writes: 9 }, { calls: 7, writes: 2 })).toEqual({
    ...{ calls: 5, writes: 2 },
  });
  expect(narrowBudget(undefined, { calls: 7 })).toEqual({ calls: 7, writes: undefined });
});
