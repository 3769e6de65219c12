import { afterAll, beforeAll, expect, test } from "vitest";
import { AppError, on } from "#foundation";
import { createTestContext, type TestContext } from "#foundation/testing";
import { ensureLogPartitions } from "#logs";
import { deployFunctions } from "./deploy/deploy-functions.ts";
import { planDeployment } from "./deploy/plan-deployment.ts";
import { presentScripts } from "./deployed/present-scripts.ts";
import { functionsDeployed } from "./hooks.ts";
import { insertTestIntegration, newAction, newSync, newUpload } from "./testing/index.ts";

let app: TestContext;

beforeAll(async () => {
  app = await createTestContext({
    hooks: [on(functionsDeployed, async () => {})],
  });
  await ensureLogPartitions(app.ctx);
  for (const key of ["crm", "erp"]) await insertTestIntegration(app.ctx, key);
  const flowConfigs = ["a", "b", "c"].flatMap((name) => [
    newAction(name),
    newAction(name, { providerConfigKey: "erp" }),
  ]);
  await deployFunctions(app.ctx, newUpload({ flowConfigs: [...flowConfigs, newSync("contacts")] }));
});
afterAll(async () => await app[Symbol.asyncDispose]());

async function namesOf(wanted: { integrationKey?: string; limit?: number; page?: number }) {
  const { integrationKey, limit, page = 0 } = wanted;
  const answer = await presentScripts(app.ctx, { format: "svc", integrationKey, limit, page });
  if (!Array.isArray(answer)) throw new Error("these are tools");
  return answer.flatMap((group) =>
    [...group.actions, ...group.syncs].map(({ name }) => `${group.providerConfigKey}/${name}`),
  );
}

test("the configuration of scripts has a filter and pages", async () => {
  const all = await namesOf({});
  const pages = [];
  for (let page = 0; page < 4; page += 1) pages.push(await namesOf({ limit: 3, page }));

  expect(all).toHaveLength(7);
  expect(pages.map((page) => page.length)).toEqual([3, 3, 1, 0]);
  expect(pages.flat().toSorted()).toEqual(all.toSorted());
  expect(await namesOf({ integrationKey: "erp" })).toEqual(["erp/a", "erp/b", "erp/c"]);
  expect(await namesOf({ integrationKey: "erp", limit: 2, page: 1 })).toEqual(["erp/c"]);
  await expect(namesOf({ integrationKey: "none" })).rejects.toThrow(AppError);
});

test("tools of language models have one name on all pages, and never two of them the same", async () => {
  const toolsOf = async (wanted: { limit?: number; page?: number; integrationKey?: string }) => {
    const { limit, page = 0, integrationKey } = wanted;
    const answer = await presentScripts(app.ctx, { format: "llm", integrationKey, limit, page });
    return Array.isArray(answer) ? [] : answer.data.map(({ name }) => name);
  };

  const all = await toolsOf({});
  const pages = [];
  for (let page = 0; page < 4; page += 1) pages.push(await toolsOf({ limit: 2, page }));

  expect(new Set(all).size).toBe(7);
  expect(pages.flat()).toEqual(all);
  expect(all).toContain("contacts");
  expect(await toolsOf({ integrationKey: "erp" })).toEqual(["erp_a", "erp_b", "erp_c"]);
});

test("a plan tells of removals, although the upload of the plan says not to reconcile", async () => {
  const upload = newUpload({ flowConfigs: [newAction("a")], reconcile: false });
  const part = { ...upload, deployMode: "integration" as const };
  const single = { ...upload, deployMode: "single" as const };

  expect((await planDeployment(app.ctx, upload)).deletedActions).toHaveLength(5);
  expect((await planDeployment(app.ctx, part)).deletedActions).toHaveLength(2);
  expect((await planDeployment(app.ctx, single)).deletedActions).toEqual([]);
});
