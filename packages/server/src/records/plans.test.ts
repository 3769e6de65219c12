import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import {
  addMs,
  type ConnectionUuid,
  type EnvironmentContext,
  MINUTE,
  newRandomId,
  newTimeId,
  type RunId,
} from "#foundation";
import {
  countReads,
  createTestContext,
  isPreparedRun,
  type TestContext,
} from "#foundation/testing";
import { findModel } from "./models/known-model.ts";
import { listRecords, type RecordListing } from "./reading/list-records.ts";
import { pruneRecords } from "./retention/prune-records.ts";
import { listDeletedKeys } from "./tracking/track-deletes.ts";
import { deleteRecords } from "./writing/delete-records.ts";
import { saveRecords } from "./writing/save-records.ts";
import { removeRecordRows } from "./writing/store.ts";

// A first import is read while Postgres knows nothing of it yet: what is done to a few records must not read all.

let app: TestContext;
let ctx: EnvironmentContext;
let place: { connection: ConnectionUuid; model: string };

beforeAll(async () => {
  app = await createTestContext();
});
afterAll(async () => await app[Symbol.asyncDispose]());
beforeEach(async () => {
  ctx = await app.addEnvironment();
  place = { connection: newRandomId<ConnectionUuid>(), model: "Contact" };
});

const writer = { runId: newTimeId<RunId>(new Date()), fence: 1 };

function toBatch(ids: readonly string[], fields: object = {}) {
  const lines = ids.map((id) => Buffer.from(JSON.stringify({ id, ...fields })));
  return { ...place, writer, ids, lines };
}

function numbered(from: number, count: number): string[] {
  return Array.from({ length: count }, (_, index) => String(from + index).padStart(5, "0"));
}

/** The records listed, in the order of their ids. */
async function list(ctx: EnvironmentContext, change: Partial<RecordListing>) {
  const all = { cursor: undefined, modifiedAfter: undefined, filter: undefined, ids: undefined };
  const listing = { ...place, ...all, limit: undefined, maxBytes: undefined, ...change };
  const found: { id: string; cursor: string }[] = [];
  for await (const { records } of listRecords(ctx, listing)) {
    found.push(...records.map(({ row, cursor }) => ({ id: row.id, cursor })));
  }
  return found;
}

const PARTITIONS = isPreparedRun() ? 1 : 4;

/** Each partition of the environment is analysed with a few small records, of other models than those that come. */
async function analyseSmallPartitions(): Promise<void> {
  for (let n = 0; (await listSizes()).filter((size) => size >= 60).length < PARTITIONS; n += 1) {
    await saveRecords(ctx, { ...toBatch(numbered(0, 30)), model: `Small${n}` });
  }
  await sql`analyze records`.execute(ctx.db);
}

async function listSizes(): Promise<number[]> {
  const { rows } = await sql<{ size: number }>`
    select count(*)::int as size from records
     where model_id / 4294967296 = (
       select number from record_environments where environment_id = ${ctx.environment.id})
     group by tableoid`.execute(ctx.db);
  return rows.map(({ size }) => size);
}

const beforehand: Record<string, () => Promise<void>> = {
  "that Postgres knows nothing of": async () => {},
  "in partitions that were analysed while they were small": analyseSmallPartitions,
};

test.each(Object.keys(beforehand))(
  "no work on a few records reads all of a model %s",
  async (of) => {
    await beforehand[of]?.();
    for (let from = 0; from < 5000; from += 1000) {
      app.clock.advance(MINUTE);
      await saveRecords(ctx, toBatch(numbered(from, 1000)));
    }
    await deleteRecords(ctx, { ...place, writer, ids: numbered(2000, 2000) });
    app.clock.advance(MINUTE);
    const ids = numbered(0, 100);
    const untilCursor = (await list(ctx, { limit: 100 })).at(-1)?.cursor ?? "";
    const known = await findModel(ctx, place);
    if (known === undefined) throw new Error("nothing was saved");
    const modifiedAfter = app.clock.now().toISOString();
    const count = async (work: (ctx: EnvironmentContext) => Promise<unknown>) =>
      await countReads(ctx, "records%", work);

    const reads = {
      import: await count((ctx) => saveRecords(ctx, toBatch(numbered(5000, 900)))),
      page: await count((ctx) => list(ctx, { limit: 100 })),
      named: await count((ctx) => list(ctx, { ids })),
      since: await count((ctx) => list(ctx, { modifiedAfter, limit: 100 })),
      prune: await count((ctx) =>
        pruneRecords(ctx, { ...place, until: { cursor: untilCursor }, limit: 100 }),
      ),
      restore: await count((ctx) => saveRecords(ctx, toBatch(ids))),
      change: await count((ctx) => saveRecords(ctx, toBatch(ids, { name: "new" }))),
      remove: await count((ctx) => deleteRecords(ctx, { ...place, writer, ids })),
      deleted: await count((ctx) =>
        listDeletedKeys(ctx, { ...place, after: 5000, until: 7000, limit: 10 }),
      ),
      clear: await count(({ db }) => removeRecordRows(db, known.id, { after: "", limit: 100 })),
    };

    for (const [what, count] of Object.entries(reads)) expect(count, what).toBeLessThan(1000);
  },
);

test("what was modified since is found wherever it begins", async () => {
  const times: string[] = [];
  for (let batch = 0; batch < 7; batch += 1) {
    await saveRecords(ctx, toBatch(numbered(batch * 3, 3)));
    times.push(app.clock.now().toISOString());
    app.clock.advance(MINUTE);
  }
  // Leaves gaps in the order, and moves to its end.
  await deleteRecords(ctx, { ...place, writer, ids: numbered(6, 6) });
  const later = addMs(app.clock.now(), 1).toISOString();
  const since = async (modifiedAfter: string, cursor?: string) =>
    (await list(ctx, { modifiedAfter, cursor })).map(({ id }) => id);

  const stay = [...numbered(0, 6), ...numbered(12, 9)];
  for (const [batch, time] of times.entries()) {
    const expected = stay.filter((id) => Number(id) >= batch * 3);
    expect(await since(time)).toEqual([...expected, ...numbered(6, 6)]);
  }
  expect(await since(later)).toEqual([]);
  const [, , , fourth] = await list(ctx, { limit: 4 });
  expect(await since(times[0] ?? "", fourth?.cursor)).toEqual([
    ...stay.slice(4),
    ...numbered(6, 6),
  ]);
});
