import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { DAY } from "#foundation";
import { createTestContext, type TestContext } from "#foundation/testing";
import { ensureLogPartitions } from "#logs";
import { type Attempt, createKeyedWork } from "#tasks";
import { deployFunctions } from "./deploy/deploy-functions.ts";
import { createDeployment, requireStandalone } from "./jobs/create-job.ts";
import { presentDeployment, requireJob } from "./jobs/present-job.ts";
import { deleteOldJobs, functionJobTaskHandlers } from "./jobs/run-job.ts";
import { startJob } from "./jobs/store.ts";
import { functionJobLimits } from "./jobs/tasks.ts";
import { insertTestIntegration, newAction, newUpload } from "./testing/index.ts";

let app: TestContext;
beforeAll(async () => {
  app = await createTestContext();
  await ensureLogPartitions(app.ctx);
  await insertTestIntegration(app.ctx, "crm");
});
afterAll(async () => await app[Symbol.asyncDispose]());

const again: Attempt = { number: 2, isLast: false };

async function create(ctx = app.ctx) {
  return await createDeployment(ctx, {
    integrationKey: "crm",
    functionName: "greet",
    functionType: "action",
    code: "export default createAction({});",
    allowDestructive: false,
  });
}

async function show(id: string) {
  return await presentDeployment(app.ctx, await requireJob(app.ctx, { id, kind: "deployment" }));
}

test("a job whose worker died is not run a second time, but ends as failed", async () => {
  const { ctx } = app;
  const { id } = await create();
  await startJob(ctx.db, ctx.environment.id, { id, now: ctx.clock.now() });

  const { environment: _environment, ...installation } = ctx;
  const payload = { environmentId: ctx.environment.id, jobId: id };
  await functionJobTaskHandlers.run(installation, payload, again);
  const ended = await show(id);
  await functionJobTaskHandlers.run(installation, payload, again);

  expect(ended).toMatchObject({
    status: "failed",
    deployed: false,
    error: { code: "execution_environment_unavailable" },
  });
  expect(await show(id)).toEqual(ended);
});

test("jobs are gone after a week", async () => {
  const old = await create();
  app.clock.advance(7 * DAY);
  const young = await create();
  app.clock.advance(1);

  await deleteOldJobs(app.ctx);

  await expect(show(old.id)).rejects.toMatchObject({ code: "deployment_not_found" });
  expect(await show(young.id)).toMatchObject({ status: "waiting" });
});

test("what allows a deployment from source holds until it is made, also when a project is deployed meanwhile", async () => {
  const { ctx } = app;
  const integration = await insertTestIntegration(ctx, "erp");
  const flow = newAction("greet", { providerConfigKey: "erp" });
  const project = newUpload({ flowConfigs: [flow], deployMode: "integration" });
  const sent = newUpload({ flowConfigs: [flow], deployMode: "single", source: "standalone" });
  let meanwhile: unknown;

  const [deployed] = await deployFunctions(ctx, sent, async (inner) => {
    await requireStandalone(inner, integration, { name: "greet", type: "action" });
    meanwhile = await deployFunctions(ctx, project).catch((error: unknown) => error);
  });
  const [taken] = await deployFunctions(ctx, project);
  const refused = deployFunctions(ctx, sent, async (inner) => {
    await requireStandalone(inner, integration, { name: "greet", type: "action" });
  });

  expect(meanwhile).toMatchObject({ code: "concurrent_deployment" });
  expect(deployed?.fn.source).toBe("standalone");
  expect(taken?.fn).toEqual({ ...deployed?.fn, source: "repo" });
  await expect(refused).rejects.toMatchObject({ code: "invalid_request" });
});

test("jobs of one environment that fill its share leave a slot to another's, and move on as they end", async () => {
  const [greedy, other] = [await app.addEnvironment(), await app.addEnvironment()];
  for (const ctx of [greedy, other]) await insertTestIntegration(ctx, "crm");
  const crowd: { id: string }[] = [];
  for (let nth = 0; nth < 12; nth += 1) crowd.push(await create(greedy));
  const slots = { ...app.ctx, settings: { ...app.ctx.settings, runSlots: 20 } };
  const claim = async () => await createKeyedWork([functionJobLimits]).claim(slots, () => {});
  const handed = async ({ environment }: typeof greedy) => {
    const { rows } = await sql<{ id: string }>`
      select id from lane_tasks where environment_id = ${environment.id} and state = 'handed'`.execute(
      app.ctx.db,
    );
    return rows.map(({ id }) => id);
  };
  // Those of the tests before.
  await sql`delete from lane_tasks where environment_id = ${app.ctx.environment.id}`.execute(
    app.ctx.db,
  );

  await claim();
  const first = await handed(greedy);
  const late = await create(other);
  await claim();

  // Of 5 slots.
  expect(first).toHaveLength(4);
  expect(await handed(other)).toEqual([late.id]);
  const { environment, ...installation } = greedy;
  const [jobId = ""] = first;
  await startJob(app.ctx.db, environment.id, { id: jobId, now: app.clock.now() });
  await functionJobTaskHandlers.run(installation, { environmentId: environment.id, jobId }, again);
  await claim();
  expect(await handed(greedy)).toHaveLength(4);
  expect(await handed(greedy)).not.toContain(jobId);
});
