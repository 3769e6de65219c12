import { tapeLimits } from "@jackfield/contract";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { actions, triggerAction } from "#actions";
import { connections } from "#connections";
import { type ConnectionUuid, DAY, type EnvironmentContext, ServerStates } from "#foundation";
import { deployFunctions, functions } from "#functions";
import {
  insertTestConnection,
  insertTestIntegration,
  newAction,
  newBundle,
  newUpload,
} from "#functions/testing";
import { integrations } from "#integrations";
import { proxy } from "#proxy";
import { type TestApp, testApp } from "#testing";
import { setTapeRule } from "./change-rules.ts";
import { deleteOldTapes } from "./erase-tapes.ts";
import { trimTapes } from "./trim-tapes.ts";

let app: TestApp;
let ctx: EnvironmentContext;
let connection: ConnectionUuid;

beforeAll(async () => {
  app = await testApp({
    slices: [actions, connections, functions, integrations, proxy],
    runsFunctions: true,
  });
});
afterAll(async () => await app[Symbol.asyncDispose]());

beforeEach(async () => {
  ctx = await app.addEnvironment();
  const integration = await insertTestIntegration(ctx, "crm");
  connection = (await insertTestConnection(ctx, integration, "acme")).uuid;
});

/** The first is the oldest. */
async function insertTapes(count: number, bytes: number): Promise<void> {
  const now = app.clock.now();
  await sql`
    insert into tapes (environment_id, operation_id, connection_uuid, integration_key, function_name, kind, reason, state,
                       calls, bytes, is_cut, tape, created_at, expires_at)
    select ${ctx.environment.id}, gen_random_uuid(), ${connection}, 'crm', 'n' || n, 'action', 'sample', 'success', 1,
           ${bytes}::int, false, '\\x00', ${now}::timestamptz + n * interval '1 ms',
           ${now}::timestamptz + n * interval '1 ms' + interval '7 days'
      from generate_series(1, ${count}::int) n`.execute(ctx.db);
}

async function namesOfTapes(): Promise<string[]> {
  const { rows } = await sql<{ functionName: string }>`
    select function_name from tapes where environment_id = ${ctx.environment.id} order by created_at`.execute(
    ctx.db,
  );
  return rows.map(({ functionName }) => functionName);
}

test("the oldest tapes of an environment go once it has more bytes than its limit", async () => {
  const eighth = tapeLimits.environmentBytes / 8;
  await insertTapes(11, eighth);
  const neighbour = ctx;
  ctx = await app.addEnvironment();

  await trimTapes(ctx, eighth);
  ctx = neighbour;
  const untouched = await namesOfTapes();
  await trimTapes(ctx, eighth);

  expect(untouched).toHaveLength(11);
  expect(await namesOfTapes()).toEqual(["n4", "n5", "n6", "n7", "n8", "n9", "n10", "n11"]);
});

test("small tapes are limited by their number, which is looked at once in a hundred tapes", async () => {
  await insertTapes(tapeLimits.environmentTapes + 99, 1000);

  for (let stored = 1; stored < 100; stored += 1) await trimTapes(ctx, 1000);
  const before = await namesOfTapes();
  await trimTapes(ctx, 1000);
  const after = await namesOfTapes();

  expect(before).toHaveLength(tapeLimits.environmentTapes + 99);
  expect(after).toHaveLength(tapeLimits.environmentTapes);
  expect(after[0]).toBe("n100");
});

test("a tape is deleted after 7 days, and not before", async () => {
  await insertTapes(2, 1000);
  app.clock.advance(7 * DAY);
  await deleteOldTapes(app.ctx);
  const before = await namesOfTapes();
  app.clock.advance(2);
  await deleteOldTapes(app.ctx);

  expect(before).toEqual(["n1", "n2"]);
  expect(await namesOfTapes()).toEqual(["n2"]);
});

test("of failures at the same time in three processes, one is recorded", async () => {
  const fileBody = newBundle("action", `throw new Error("number " + input.n);`);
  await deployFunctions(ctx, newUpload({ flowConfigs: [newAction("failing", { fileBody })] }));
  const name = { integrationKey: "crm", name: "failing", type: undefined };
  await setTapeRule(ctx, { ...name, sample: 0, nextFailure: true, hours: undefined });
  // Nothing in memory is shared between processes.
  const processes = [ctx, ctx, ctx].map((each) => ({ ...each, state: new ServerStates() }));

  const ends = await Promise.allSettled(
    [0, 1, 2, 3, 4, 5].map(async (n) => {
      const process = processes[n % 3] ?? ctx;
      await triggerAction(process, {
        ...{ integrationKey: "crm", connectionId: "acme", actionName: "failing", input: { n } },
      });
    }),
  );
  await expect.poll(namesOfTapes).toHaveLength(1);
  const { rows } = await sql`
    select next_failure from tape_rules where environment_id = ${ctx.environment.id}`.execute(
    ctx.db,
  );

  expect(ends.map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => "rejected"));
  expect(rows).toEqual([{ nextFailure: false }]);
  for (const process of processes) await process.state[Symbol.asyncDispose]();
  expect(await namesOfTapes()).toEqual(["failing"]);
});
