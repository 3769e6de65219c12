import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import {
  type ConnectionUuid,
  DAY,
  type EnvironmentContext,
  newRandomId,
  newTimeId,
  type RunId,
} from "#foundation";
import { createTestContext, type TestContext } from "#foundation/testing";
import { saveRecords } from "../writing/save-records.ts";
import { listQuarantineSamples } from "./list-quarantine.ts";
import { quarantineRecords } from "./quarantine-records.ts";
import { expireQuarantine } from "./release-records.ts";
import { quarantineOf } from "./testing/store.ts";

let app: TestContext;
let ctx: EnvironmentContext;
let connection: ConnectionUuid;
beforeAll(async () => {
  app = await createTestContext();
});
afterAll(async () => await app[Symbol.asyncDispose]());
beforeEach(async () => {
  ctx = await app.addEnvironment();
  connection = newRandomId<ConnectionUuid>();
});

const writer = { runId: newTimeId<RunId>(new Date()), fence: 1 };
const model = "Contact";

/** A record that does not match, for the reason of this pointer. */
async function quarantine(id: string, pointer: string): Promise<void> {
  await quarantineRecords(ctx, {
    ...{ connection, model, writer, ids: [id], reasonOf: [0], samples: [id] },
    reasons: [{ pointer, code: "invalid_type", expected: "string", received: "null" }],
    lines: [Buffer.from(JSON.stringify({ id }))],
  });
}

async function pass(days: number): Promise<void> {
  app.clock.advance(days * DAY);
  await expireQuarantine(ctx);
}

async function listSampled(): Promise<string[]> {
  const all = { reason: undefined, limit: 250 };
  const { data } = await listQuarantineSamples(ctx, { connection, model, ...all });
  return data.map(({ id }) => id);
}

test("samples are removed after 30 days, and records 90 days after a run last met their reason", async () => {
  await quarantine("1", "/name");
  await quarantine("2", "/mail");
  await pass(29);
  const early = [await listSampled(), await quarantineOf(ctx.db, connection)];
  await pass(2);
  const unsampled = [await listSampled(), await quarantineOf(ctx.db, connection)];
  await quarantine("3", "/mail");
  await pass(60);
  const left = [await listSampled(), await quarantineOf(ctx.db, connection)];
  await pass(31);

  expect(early).toEqual([
    ["1", "2"],
    { count: 2, records: ["1", "2"], reasons: ["/mail", "/name"] },
  ]);
  expect(unsampled).toEqual([[], { count: 2, records: ["1", "2"], reasons: ["/mail", "/name"] }]);
  expect(left).toEqual([[], { count: 2, records: ["2", "3"], reasons: ["/mail"] }]);
  expect(await quarantineOf(ctx.db, connection)).toEqual({ count: 0, records: [], reasons: [] });
});

test("a record whose reason has expired is saved once it matches", async () => {
  await quarantine("1", "/name");
  await pass(91);
  const saved = await saveRecords(ctx, {
    ...{ connection, model, writer, ids: ["1"] },
    lines: [Buffer.from('{"id":"1","name":"a"}')],
  });

  expect(saved).toMatchObject({ added: 1 });
  expect(await quarantineOf(ctx.db, connection)).toMatchObject({ count: 0 });
});
