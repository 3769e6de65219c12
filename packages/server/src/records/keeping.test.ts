import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import {
  type ConnectionUuid,
  type EnvironmentContext,
  newRandomId,
  newTimeId,
  on,
  type RunId,
} from "#foundation";
import { createTestContext, isPreparedRun, type TestContext } from "#foundation/testing";
import { countRecords } from "./counting/count-records.ts";
import { dropEnvironment } from "./erasure/drop-environment.ts";
import { recordsChanged } from "./hooks.ts";
import { listRecords, type RecordListing } from "./reading/list-records.ts";
import { asLines, asPage, presentRecords } from "./reading/present-records.ts";
import { pruneOldRecords } from "./retention/prune-old-records.ts";
import { countPrunable, pruneRecords } from "./retention/prune-records.ts";
import { allowDeletes } from "./tracking/delete-guard.ts";
import { expireOldTrackings } from "./tracking/expire-trackings.ts";
import {
  endTracking,
  listDeletedKeys,
  settleTracking,
  startTracking,
} from "./tracking/track-deletes.ts";
import { deleteRecords } from "./writing/delete-records.ts";
import { type RecordBatch, saveRecords, updateRecords } from "./writing/save-records.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

let app: TestContext;
let ctx: EnvironmentContext;
let connection: ConnectionUuid;
let reported: object[] = [];
const hearing = on(recordsChanged, async (_ctx: EnvironmentContext, { changes }) => {
  reported.push(changes);
});

beforeAll(async () => {
  app = await createTestContext({ hooks: [hearing] });
});
afterAll(async () => await app[Symbol.asyncDispose]());
beforeEach(async () => {
  ctx = await app.addEnvironment();
  connection = newRandomId<ConnectionUuid>();
});

const writer = { runId: newTimeId<RunId>(new Date()), fence: 1 };
const by = { kind: "sync", functionId: 1 } as const;
const place = () => ({ connection, model: "Contact" });

type Fields = { id: string; [field: string]: unknown };

function toBatch(records: readonly Fields[]): RecordBatch {
  return {
    ...place(),
    writer,
    ids: records.map(({ id }) => id),
    lines: records.map((record) => Buffer.from(JSON.stringify(record))),
  };
}

async function save(records: readonly Fields[], merging?: RecordBatch["merging"]) {
  return await saveRecords(ctx, { ...toBatch(records), merging });
}

const numbered = (count: number, fields: object = {}) =>
  Array.from({ length: count }, (_, index) => ({ id: String(index).padStart(5, "0"), ...fields }));

type Listed = Fields & { _svc_metadata: Record<string, string | null> & { cursor: string } };

function listing(change: Partial<RecordListing> = {}): RecordListing {
  const all = { cursor: undefined, modifiedAfter: undefined, filter: undefined, ids: undefined };
  return { ...place(), ...all, limit: undefined, maxBytes: undefined, ...change };
}

async function present(form: typeof asPage, change: Partial<RecordListing> = {}): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of presentRecords(listRecords(ctx, listing(change)), form)) {
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}

async function list(change: Partial<RecordListing> = {}): Promise<Listed[]> {
  return JSON.parse(await present(asPage, change)).records;
}

async function liveIds(): Promise<string[]> {
  return (await list({ filter: new Set(["added", "updated"]) })).map(({ id }) => id).toSorted();
}

test("a whole model is listed in lines, chunk by chunk, with a last line that says it is complete", async () => {
  await save(numbered(1000));
  await save(numbered(2500).slice(1000, 2000));
  await save(numbered(2500).slice(2000));

  const chunks = [];
  for await (const { records } of listRecords(ctx, listing())) chunks.push(records.length);
  const lines = (await present(asLines)).trimEnd().split("\n");

  expect(chunks).toEqual([1000, 1000, 500]);
  expect(lines.slice(0, -1).map((line) => JSON.parse(line).id)).toEqual(
    numbered(2500).map(({ id }) => id),
  );
  expect(JSON.parse(lines.at(-1) ?? "")).toEqual({ _svc_end: { next_cursor: null } });
});

test("large records come a few at a time, regardless of the limit", async () => {
  await save(numbered(8, { text: "x".repeat(1024 * 1024) }));

  const chunks = [];
  for await (const { records } of listRecords(ctx, listing())) chunks.push(records.length);

  expect(chunks.length).toBeGreaterThan(2);
  expect(chunks.reduce((total, count) => total + count, 0)).toBe(8);
});

test("pruned records keep their place and lose their content; saving them again brings it back", async () => {
  await save(numbered(3, { name: "a" }));
  const before = await list();
  const untilCursor = before[1]?._svc_metadata.cursor ?? "";

  const first = await pruneRecords(ctx, { ...place(), until: { cursor: untilCursor }, limit: 1 });
  const second = await pruneRecords(ctx, { ...place(), until: { cursor: untilCursor }, limit: 10 });
  const again = await pruneRecords(ctx, { ...place(), until: { cursor: untilCursor }, limit: 10 });
  const pruned = await list();
  const saved = await save(numbered(3, { name: "a" }));

  expect([first, second, again]).toEqual([
    { count: 1, hasMore: true },
    { count: 1, hasMore: false },
    { count: 0, hasMore: false },
  ]);
  expect(pruned.map(({ name }) => name)).toEqual([undefined, undefined, "a"]);
  expect(pruned.map((record) => record._svc_metadata["pruned_at"] !== null)).toEqual([
    true,
    true,
    false,
  ]);
  expect(pruned.map((record) => record._svc_metadata.cursor)).toEqual(
    before.map((record) => record._svc_metadata.cursor),
  );
  expect(saved).toMatchObject({ added: 0, updated: 0, unchanged: 3 });
  expect(await list()).toEqual(before);
  expect(
    await pruneRecords(ctx, { ...place(), until: { cursor: untilCursor }, limit: 10 }),
  ).toMatchObject({
    count: 2,
  });
});

test("what is older than a time is counted without a change, and then pruned", async () => {
  await save(numbered(3, { name: "old" }));
  app.clock.advance(10 * DAY_MS);
  await save([{ id: "new", name: "new" }]);
  const before = new Date(app.clock.now().getTime() - 5 * DAY_MS);
  const wanted = { ...place(), until: { before } };

  const counted = await countPrunable(ctx, wanted);
  const untouched = await list();
  const first = await pruneRecords(ctx, { ...wanted, limit: 2 });
  const rest = await countPrunable(ctx, wanted);
  const second = await pruneRecords(ctx, { ...wanted, limit: 2 });
  const nothing = await countPrunable(ctx, { ...place(), model: "Other", until: { before } });

  expect(counted).toEqual({ count: 3, hasMore: false });
  expect(untouched.map(({ name }) => name)).toEqual(["old", "old", "old", "new"]);
  expect([first, rest, second]).toEqual([
    { count: 2, hasMore: true },
    { count: 1, hasMore: false },
    { count: 1, hasMore: false },
  ]);
  expect((await list()).map(({ name }) => name)).toEqual([undefined, undefined, undefined, "new"]);
  expect(await countPrunable(ctx, wanted)).toEqual({ count: 0, hasMore: false });
  expect(nothing).toEqual({ count: 0, hasMore: false });
});

test("old records are pruned only where the environment asks for it", async () => {
  await save(numbered(2, { name: "old" }));
  app.clock.advance(10 * DAY_MS);
  await save([{ id: "new", name: "new" }]);

  await pruneOldRecords(ctx);
  const untouched = await list();
  await sql`update environment_settings set settings = '{"retention": {"records_prune_days": 5}}'
    where environment_id = ${ctx.environment.id}`.execute(ctx.db);
  await pruneOldRecords(ctx);

  expect(untouched.map(({ name }) => name)).toEqual(["old", "old", "new"]);
  expect((await list()).map(({ name }) => name)).toEqual([undefined, undefined, "new"]);
});

test("delete tracking deletes what was not saved since its start, and tells which", async () => {
  await save(numbered(5));
  await startTracking(ctx, { ...place(), by, goesOn: false });
  await save(numbered(5).slice(0, 2));
  await save([{ id: "new" }]);

  const ended = await endTracking(ctx, { ...place(), by, writer, guardShare: undefined });

  if (ended.kind !== "done") throw new Error(ended.kind);
  const [after, until] = ended.range;
  const keys = await listDeletedKeys(ctx, { ...place(), after, until, limit: 2 });
  const rest = await listDeletedKeys(ctx, { ...place(), after: keys.after ?? 0, until, limit: 2 });
  expect(ended.deleted).toBe(3);
  expect([...keys.ids, ...rest.ids]).toEqual(["00002", "00003", "00004"]);
  expect(await liveIds()).toEqual(["00000", "00001", "new"]);
  expect((await countRecords(ctx, { connections: [connection] }))[0]?.count).toBe(3);
  await settleTracking(ctx, { connection, models: ["Contact"], by });
  expect(await endTracking(ctx, { ...place(), by, writer, guardShare: undefined })).toEqual({
    kind: "not-started",
  });
});

test("a start that does not continue from a checkpoint forgets what an earlier attempt saw", async () => {
  await save(numbered(4));
  await startTracking(ctx, { ...place(), by, goesOn: false });
  await save(numbered(4).slice(0, 2));

  await startTracking(ctx, { ...place(), by, goesOn: true });
  await save(numbered(4).slice(2, 3));
  const goneOn = await endTracking(ctx, { ...place(), by, writer, guardShare: undefined });
  await startTracking(ctx, { ...place(), by, goesOn: false });
  await save(numbered(4).slice(0, 2));
  await startTracking(ctx, { ...place(), by, goesOn: false });
  await save(numbered(4).slice(2, 3));
  const begunAnew = await endTracking(ctx, { ...place(), by, writer, guardShare: undefined });

  expect([goneOn, begunAnew]).toMatchObject([{ deleted: 1 }, { deleted: 2 }]);
  expect(await liveIds()).toEqual(["00002"]);
});

test("a handler of webhooks that tracks deletes takes nothing from a sync that does", async () => {
  const other = { kind: "webhook", functionId: 1 } as const;
  await save(numbered(4));
  await startTracking(ctx, { ...place(), by, goesOn: false });
  await save(numbered(4).slice(0, 2));
  await startTracking(ctx, { ...place(), by: other, goesOn: false });
  await save(numbered(4).slice(1, 3));

  const ended = await endTracking(ctx, { ...place(), by, writer, guardShare: undefined });
  await settleTracking(ctx, { connection, models: ["Contact"], by });
  await save([{ id: "later" }]);
  const handled = await endTracking(ctx, {
    ...place(),
    by: other,
    writer,
    guardShare: undefined,
  });

  expect([ended, handled]).toMatchObject([{ deleted: 1 }, { deleted: 1 }]);
  expect(await liveIds()).toEqual(["00001", "00002", "later"]);
});

test("tracking that does not end for a week notes nothing more, and deletes nothing", async () => {
  await save(numbered(2));
  await startTracking(ctx, { ...place(), by, goesOn: false });
  await save(numbered(2).slice(0, 1));
  app.clock.advance(8 * DAY_MS);
  await expireOldTrackings(ctx);
  await startTracking(ctx, { ...place(), by, goesOn: true });
  await save(numbered(2).slice(0, 1));

  const ended = await endTracking(ctx, { ...place(), by, writer, guardShare: undefined });

  expect(ended).toMatchObject({ kind: "done", deleted: 0 });
  const { rows } = await sql`
    select 1 from record_sightings s join record_models m on m.id = s.model_id
     where m.environment_id = ${ctx.environment.id}`.execute(ctx.db);
  expect(rows).toEqual([]);
});

test("the guard refuses to delete too large a share until someone allows that many", async () => {
  await save(numbered(10));
  const trackAll = async (seen: number) => {
    await startTracking(ctx, { ...place(), by, goesOn: false });
    await save(numbered(10).slice(0, seen));
    return await endTracking(ctx, { ...place(), by, writer, guardShare: 0.3 });
  };

  const refused = await trackAll(4);
  const afterRefusal = await liveIds();
  const allowed = await allowDeletes(ctx, { connection, models: ["Contact"] });
  const tooMany = await trackAll(3);
  await allowDeletes(ctx, { connection, models: ["Contact"] });
  const done = await trackAll(3);

  expect(refused).toEqual({ kind: "refused", unseen: 6, live: 10 });
  expect(afterRefusal).toHaveLength(10);
  expect(allowed).toEqual([{ model: "Contact", deletes: 6 }]);
  expect(tooMany).toEqual({ kind: "refused", unseen: 7, live: 10 });
  expect(done).toMatchObject({ kind: "done", deleted: 7 });
  expect(await allowDeletes(ctx, { connection, models: ["Contact"] })).toEqual([]);
});

test("a merging run leaves alone what others changed since, and may change its own again", async () => {
  const { range } = await save(numbered(4, { by: "start" }));
  const after = range[1];
  await save([{ id: "00000", by: "webhook" }]);
  await deleteRecords(ctx, { ...place(), writer, ids: ["00001"] });
  const own = await save(numbered(4, { by: "sync" }), { after, own: [] });
  const again = await save(numbered(4, { by: "sync again" }), { after, own: [own.range] });

  expect([own, again]).toMatchObject([
    { added: 0, updated: 2, unchanged: 2 },
    { added: 0, updated: 2, unchanged: 2 },
  ]);
  const byId = new Map((await list()).map((record) => [record.id, record]));
  expect(byId.get("00000")).toMatchObject({ by: "webhook" });
  expect(byId.get("00001")).toMatchObject({
    by: "start",
    _svc_metadata: { last_action: "DELETED" },
  });
  expect(byId.get("00003")).toMatchObject({ by: "sync again" });
});

test("an update that was merged from what has changed since is answered as a conflict", async () => {
  await save(numbered(3, { name: "a" }));
  const sequences = [1, 2, 7];
  await save([{ id: "00001", name: "b" }]);

  const batch = { ...toBatch([...numbered(2, { name: "c" }), { id: "none" }]), sequences };
  reported = [];
  const updated = await updateRecords(ctx, batch);

  expect(updated).toMatchObject({
    updated: 1,
    added: 0,
    unchanged: 0,
    conflicts: ["00001", "none"],
  });
  expect(reported).toEqual([{ added: 0, updated: 1, unchanged: 0, deleted: 0 }]);
  expect((await list()).map(({ name }) => name).toSorted()).toEqual(["a", "b", "c"]);
});

test("where records are stored plain, SQL reads them, and both kinds are listed alike", async () => {
  await save([{ id: "1", name: "sealed" }]);
  const settings = { ...ctx.settings, recordStorage: "plain" as const };
  ctx = { ...ctx, settings };
  await save([{ id: "2", name: "plain", n: 0.1, deep: { "ü\n": [null, true] } }]);

  const { rows } = await sql<{ name: string }>`
    select r.document ->> 'name' as name from records r join record_models m on m.id = r.model_id
     where m.connection_uuid = ${connection} order by r.sequence`.execute(ctx.db);

  expect(rows.map(({ name }) => name)).toEqual([null, "plain"]);
  expect(await list()).toMatchObject([
    { id: "1", name: "sealed" },
    { id: "2", name: "plain", n: 0.1, deep: { "ü\n": [null, true] } },
  ]);
});

test("an environment's records are dropped as a whole and leave nothing behind", async () => {
  await save(numbered(3));
  const other = ctx;
  ctx = await app.addEnvironment();
  await save(numbered(2));
  // So many that they do not happen to lie on one server of a cluster.
  for (const { id: model } of numbered(12))
    await saveRecords(ctx, { ...toBatch(numbered(2)), model });
  const tables = async () => {
    const { rows } =
      await sql`select from pg_inherits where inhparent = 'records'::regclass`.execute(ctx.db);
    return rows.length;
  };
  const before = await tables();

  await dropEnvironment(ctx, ctx.environment.id);
  await dropEnvironment(ctx, ctx.environment.id);

  // Of one table for all, nothing is dropped.
  expect(before - (await tables())).toBe(isPreparedRun() ? 0 : 1);
  expect(await list()).toEqual([]);
  ctx = other;
  expect(await list()).toHaveLength(3);
});

test("what is written after its environment's deletion is refused, and leaves nothing behind", async () => {
  await save(numbered(3));
  await sql`update environments set deleted_at = now() where id = ${ctx.environment.id}`.execute(
    ctx.db,
  );
  await dropEnvironment(ctx, ctx.environment.id);

  const saved = save(numbered(3));

  await expect(saved).rejects.toMatchObject({ code: "unknown_environment" });
  expect(await list()).toEqual([]);
});
