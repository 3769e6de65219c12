import { afterAll, test as anyTest, beforeAll, beforeEach, expect } from "vitest";
import {
  type ConnectionUuid,
  DAY,
  type EnvironmentContext,
  HOUR,
  newTimeId,
  type RunId,
  SECOND,
} from "#foundation";
import { isPreparedRun } from "#foundation/testing";
import { insertTestConnection, insertTestIntegration } from "#functions/testing";
import { type TestApp, testApp } from "#testing";
import { clearRecords } from "../erasure/clear-records.ts";
import { eraseRecords } from "../erasure/erase-records.ts";
import { records } from "../slice.ts";
import { deleteRecords, saveRecords } from "../testing/index.ts";
import { expireVersions } from "./expire-versions.ts";

// On a cluster none is kept, which `tests/citus/prepared-records.test.ts` proves.
const test = anyTest.skipIf(isPreparedRun());

let app: TestApp;
let ctx: EnvironmentContext;
let connection: ConnectionUuid;

const writer = { runId: newTimeId<RunId>(new Date()), fence: 1 };

beforeAll(async () => {
  app = await testApp({
    slices: [records],
    caller: async ({ signal }) => ({ ...ctx, signal }),
  });
});
afterAll(async () => await app[Symbol.asyncDispose]());
beforeEach(async () => {
  ctx = await app.addEnvironment();
  const integration = await insertTestIntegration(ctx, "crm");
  connection = (await insertTestConnection(ctx, integration, "customer-1")).uuid;
});

async function save(contents: Readonly<Record<string, string>>, model = "Contact"): Promise<void> {
  const ids = Object.keys(contents);
  const lines = ids.map((id) => Buffer.from(JSON.stringify({ id, text: contents[id] })));
  await saveRecords(ctx, { connection, model, writer, ids, lines });
}

async function remove(ids: readonly string[]): Promise<void> {
  await deleteRecords(ctx, { connection, model: "Contact", writer, ids: [...ids] });
}

async function call(method: "GET" | "PUT" | "DELETE" | "PATCH", url: string, payload?: object) {
  const headers = { "connection-id": "customer-1", "provider-config-key": "crm" };
  const response = await app.server.inject({ method, url, headers, ...(payload && { payload }) });
  const { statusCode: status, body: text } = response;
  return { status, text, body: text === "" ? undefined : response.json() };
}

/** A moment between what happened before and what happens next: changes of one instant are microseconds apart. */
function moment(): string {
  app.clock.advance(SECOND);
  const at = app.clock.now().toISOString();
  app.clock.advance(SECOND);
  return at;
}

/** What the model had at a moment, page by page. */
async function readAt(at: string, more = ""): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  let cursor = "";
  do {
    const path = `/records?model=Contact&limit=2&as_of=${at}${cursor}${more}`;
    const { status, body, text } = await call("GET", path);
    expect(status, text).toBe(200);
    for (const { id, text, _svc_metadata: of } of body.records) {
      expect(found[id]).toBe(undefined);
      found[id] = of.deleted_at === null ? (text ?? "pruned") : "deleted";
    }
    cursor = body.next_cursor === null ? "" : `&cursor=${body.next_cursor}`;
  } while (cursor !== "");
  return found;
}

async function countVersions(): Promise<number> {
  const { rows } = await app.database.pool.query(
    `select count(*)::int as count from record_versions v join record_models m on m.id = v.model_id
      where m.environment_id = $1`,
    [ctx.environment.id],
  );
  return rows[0].count;
}

test("a model is read as it was at any moment: what was added, changed, deleted and removed since", async () => {
  await save({ 1: "old", 2: "old", 3: "old" });
  await call("PUT", "/records/history/Contact", { days: 30 });
  const begun = moment();
  await save({ 2: "new", 4: "added" });
  const changed = moment();
  await remove(["1"]);
  await save({ 2: "newest" });
  const deleted = moment();
  await save({ 1: "back" });
  const back = moment();
  await save({ 9: "later" });
  await clearRecords(ctx, { connection, models: ["Contact"] });

  expect(await readAt(begun)).toEqual({ 1: "old", 2: "old", 3: "old" });
  expect(await readAt(changed)).toEqual({ 1: "old", 2: "new", 3: "old", 4: "added" });
  expect(await readAt(deleted)).toEqual({ 1: "deleted", 2: "newest", 3: "old", 4: "added" });
  expect(await readAt(back)).toEqual({ 1: "back", 2: "newest", 3: "old", 4: "added" });
  expect(await readAt(deleted, "&filter=deleted")).toEqual({ 1: "deleted" });
  expect(await readAt(changed, "&ids=2&ids=4&ids=9")).toEqual({ 2: "new", 4: "added" });
  expect(await readAt(changed, "&order=desc")).toEqual(await readAt(changed));
});

test("a moment before the history, in the future or of a model without one is refused with the reason", async () => {
  await save({ 1: "a" });
  const before = moment();
  const without = await call("GET", `/records?model=Contact&as_of=${before}`);
  const { body } = await call("PUT", "/records/history/Contact", { days: 2 });
  const early = await call("GET", `/records?model=Contact&as_of=${before}`);
  const later = new Date(app.clock.now().getTime() + HOUR).toISOString();
  const future = await call("GET", `/records?model=Contact&as_of=${later}`);
  app.clock.advance(3 * DAY);
  const expired = await call("GET", `/records?model=Contact&as_of=${body.data.readable_from}`);

  expect(without.text).toContain("PUT /records/history/Contact");
  expect(early.text).toContain(body.data.readable_from);
  expect(future.text).toContain("in the future");
  expect([without, early, future, expired].map(({ status }) => status)).toEqual([
    ...[400, 400, 400, 400],
  ]);
});

test("random changes: each moment reads as a copy that was taken then", async () => {
  await call("PUT", "/records/history/Contact", { days: 30 });
  let seed = 11;
  const random = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };
  const live: Record<string, string> = {};
  const copies: [string, Record<string, string>][] = [];
  for (let round = 0; round < 40; round += 1) {
    const changed = Object.fromEntries(
      Array.from({ length: 1 + random(6) }, () => [`${random(12)}`, `round ${round}`]),
    );
    await save(changed);
    Object.assign(live, changed);
    const gone = Object.keys(live).filter(() => random(9) === 0);
    if (gone.length > 0) await remove(gone);
    for (const id of gone) live[id] = "deleted";
    copies.push([moment(), { ...live }]);
  }

  for (const [at, copy] of copies) expect(await readAt(at)).toEqual(copy);
});

test("writes of other models, and of environments without a history, keep nothing and meet no trigger", async () => {
  await save({ 1: "a" }, "Deal");
  const other = await app.addEnvironment();
  const first = ctx;
  ctx = other;
  const integration = await insertTestIntegration(ctx, "crm");
  connection = (await insertTestConnection(ctx, integration, "customer-1")).uuid;
  await save({ 1: "a" });
  await call("PUT", "/records/history/Contact", { days: 1 });
  await save({ 1: "b" }, "Deal");
  await save({ 1: "c" }, "Deal");
  const { rows } = await app.database.pool.query(
    `select distinct e.environment_id from pg_trigger t join pg_class c on c.oid = t.tgrelid
       join record_environments e on c.relname = 'records_' || e.number
      where t.tgname like 'keep_%record' and not t.tgisinternal`,
  );

  expect(await countVersions()).toBe(0);
  expect(rows.map((row) => row.environment_id)).not.toContain(first.environment.id);
  expect(rows.map((row) => row.environment_id)).toContain(other.environment.id);
});

test("pruned contents and erased connections leave no version behind", async () => {
  await call("PUT", "/records/history/Contact", { days: 30 });
  await save({ 1: "secret", 2: "kept" });
  await save({ 1: "more secret", 2: "kept more" });
  const { body } = await call("GET", "/records?model=Contact&ids=1");
  const until = body.records[0]._svc_metadata.cursor;
  const kept = await countVersions();
  await call("PATCH", "/records/prune", { model: "Contact", until_cursor: until });
  const pruned = await countVersions();
  const models = "select id from record_models where environment_id = $1";
  const ids = await app.database.pool.query(models, [ctx.environment.id]);
  await eraseRecords(ctx, ctx.environment.id, [connection]);
  const { rows } = await app.database.pool.query(
    "select from record_versions where model_id = any($1::bigint[])",
    [ids.rows.map(({ id }) => id)],
  );

  expect(ids.rows).toHaveLength(1);
  expect([kept, pruned]).toEqual([2, 1]);
  expect(rows).toHaveLength(0);
});

test("versions go when they are too old or too many, and with the end of the history", async () => {
  await save({ 1: "0" });
  await call("PUT", "/records/history/Contact", { days: 2 });
  for (let round = 1; round <= 6; round += 1) {
    await save({ 1: `${round}` });
    app.clock.advance(12 * HOUR);
  }
  await expireVersions(ctx);
  const young = await countVersions();
  await expireVersions(ctx, { most: 2 });
  const few = await countVersions();
  const [{ readable_from: from }] = (await call("GET", "/records/history")).body.data;
  const asOf = await readAt(from);
  await call("DELETE", "/records/history/Contact");
  const gone = await call("DELETE", "/records/history/Contact");
  await expireVersions(ctx);
  const { rows } = await app.database.pool.query(
    `select from pg_trigger where tgname like 'keep_%record' and tgrelid =
       (select ('records_' || number)::regclass from record_environments where environment_id = $1)`,
    [ctx.environment.id],
  );

  expect([young, few]).toEqual([4, 2]);
  expect(asOf).toEqual({ 1: expect.stringMatching(/^[45]$/) });
  expect(gone.status).toBe(404);
  expect(await countVersions()).toBe(0);
  expect(rows).toHaveLength(0);
});
