import { randomUUID } from "node:crypto";
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
import { withTransaction } from "#foundation/db";
import { createTestContext, type TestContext } from "#foundation/testing";
import { countRecords } from "./counting/count-records.ts";
import { clearRecords } from "./erasure/clear-records.ts";
import { type RecordsChanged, recordsChanged } from "./hooks.ts";
import type { RecordChanges } from "./model.ts";
import { listRecords, type RecordListing } from "./reading/list-records.ts";
import { asPage, presentRecords } from "./reading/present-records.ts";
import { deleteRecords } from "./writing/delete-records.ts";
import { saveRecords } from "./writing/save-records.ts";

let app: TestContext;
let ctx: EnvironmentContext;
let connection: ConnectionUuid;
/** Collects every write; `refusal` throws when a test wants the write undone. */
let reported: RecordsChanged[];
let refusal: Error | undefined;

beforeAll(async () => {
  const answer = on(recordsChanged, async (_ctx: EnvironmentContext, change) => {
    if (refusal !== undefined) throw refusal;
    reported.push(change);
  });
  app = await createTestContext({ hooks: [answer] });
});
afterAll(async () => await app[Symbol.asyncDispose]());
beforeEach(async () => {
  ctx = await app.addEnvironment();
  connection = newRandomId<ConnectionUuid>();
  reported = [];
  refusal = undefined;
});

const writer = { runId: newTimeId<RunId>(new Date()), fence: 1 };

async function save(
  records: readonly { id: string; [field: string]: unknown }[],
  inner: EnvironmentContext = ctx,
): Promise<RecordChanges> {
  const { range: _, ...changes } = await saveRecords(inner, {
    connection,
    model: "Contact",
    writer,
    ids: records.map(({ id }) => id),
    lines: records.map((record) => Buffer.from(JSON.stringify(record))),
  });
  return changes;
}

async function remove(...ids: string[]): Promise<RecordChanges> {
  return await deleteRecords(ctx, { connection, model: "Contact", writer, ids });
}

interface Page {
  records: {
    id: string;
    name?: string;
    _svc_metadata: Record<string, string | null> & { cursor: string };
  }[];
  next_cursor: string | null;
}

async function list(change: Partial<RecordListing> = {}): Promise<Page> {
  const listing = {
    connection,
    model: "Contact",
    cursor: undefined,
    modifiedAfter: undefined,
    filter: undefined,
    ids: undefined,
    limit: 100,
    maxBytes: 16 * 1024 * 1024,
    ...change,
  };
  const parts: Buffer[] = [];
  for await (const part of presentRecords(listRecords(ctx, listing), asPage)) parts.push(part);
  return JSON.parse(Buffer.concat(parts).toString());
}

/** As they are stored. */
async function readRows(): Promise<{ payload: Buffer }[]> {
  const { rows } = await sql<{ payload: Buffer }>`
    select r.* from records r join record_models m on m.id = r.model_id
     where m.connection_uuid = ${connection}`.execute(ctx.db);
  return rows;
}

const idsOf = ({ records }: Page) => records.map(({ id }) => id);

async function count(): Promise<number | undefined> {
  const [model] = await countRecords(ctx, { connections: [connection] });
  return model?.count;
}

test("counts what is new, changed and the same, each exactly", async () => {
  const first = await save([
    { id: "1", name: "a" },
    { id: "2", name: "b" },
  ]);
  const second = await save([
    { id: "1", name: "a" },
    { id: "2", name: "changed" },
    { id: "3", name: "c" },
  ]);

  expect(first).toEqual({ added: 2, updated: 0, unchanged: 0, deleted: 0 });
  expect(second).toEqual({ added: 1, updated: 1, unchanged: 1, deleted: 0 });
  expect(reported.map(({ changes }) => changes)).toEqual([first, second]);
  expect(await count()).toBe(3);
});

test("an unchanged record keeps its place, its time and its bytes", async () => {
  await save([{ id: "1", name: "a" }]);
  const before = await readRows();
  app.clock.advance(60_000);
  await save([{ id: "1", name: "a" }]);

  expect(before).toHaveLength(1);
  expect(await readRows()).toEqual(before);
});

test("a page gives the fields of each record and when it changed", async () => {
  await save([{ id: "1", name: 'ä\n"{' }]);
  app.clock.advance(1000);
  await save([{ id: "1", name: "b" }]);

  const page = await list();

  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$/);
  expect(page).toEqual({
    records: [
      {
        id: "1",
        name: "b",
        _svc_metadata: {
          first_seen_at: time,
          last_modified_at: time,
          last_action: "UPDATED",
          deleted_at: null,
          pruned_at: null,
          cursor: expect.any(String),
        },
      },
    ],
    next_cursor: null,
  });
  const [metadata] = page.records.map((record) => record._svc_metadata);
  const [firstSeen, lastModified] = [metadata?.["first_seen_at"], metadata?.["last_modified_at"]];
  expect(Date.parse(lastModified ?? "") - Date.parse(firstSeen ?? "")).toBe(1000);
});

test("payloads are not readable in the database", async () => {
  await save([{ id: "1", name: "in plain sight" }]);

  const [row] = await readRows();

  expect(row?.payload.byteLength).toBeGreaterThan(0);
  expect(row?.payload.includes("plain sight")).toBe(false);
  expect((await list()).records[0]?.name).toBe("in plain sight");
});

test("a deleted record keeps its payload, is counted out, and comes back as added", async () => {
  await save([{ id: "1", name: "a" }, { id: "2" }]);

  expect(await remove("1", "unknown", "1")).toMatchObject({ deleted: 1 });
  expect(await remove("1")).toMatchObject({ deleted: 0 });
  expect(await count()).toBe(1);
  const [, deleted] = (await list()).records;
  expect(deleted).toMatchObject({ id: "1", name: "a", _svc_metadata: { last_action: "DELETED" } });

  app.clock.advance(1000);
  expect(await save([{ id: "1", name: "a" }])).toMatchObject({ added: 1, unchanged: 0 });
  const [, back] = (await list()).records;
  expect(back).toMatchObject({ _svc_metadata: { last_action: "ADDED", deleted_at: null } });
  expect(await count()).toBe(2);
});

test("a record that was deleted at a time of its own tells that time", async () => {
  await save([{ id: "1" }, { id: "2" }]);
  const ids = ["1", "2"];
  const deletedAt = ["2020-01-02T03:04:05.000Z", null];
  await deleteRecords(ctx, { connection, model: "Contact", writer, ids, deletedAt });

  const [first, second] = (await list()).records.map(({ _svc_metadata }) => _svc_metadata);

  expect(first?.["deleted_at"]).toBe("2020-01-02T03:04:05.000000+00:00");
  expect(second?.["deleted_at"]).toBe(second?.["last_modified_at"]);
  expect(first?.["last_modified_at"]).toBe(second?.["last_modified_at"]);
});

test("following cursors gives every record once, in the order of changes", async () => {
  const names = Array.from({ length: 25 }, (_, index) => ({ id: `record-${index}` }));
  await save(names);
  await save([{ id: "record-3", name: "changed" }]);
  const seen: string[] = [];
  let pages = 0;
  let cursor: string | undefined;
  do {
    const page = await list({ cursor, limit: 10 });
    seen.push(...idsOf(page));
    cursor = page.next_cursor ?? undefined;
    pages += 1;
  } while (cursor !== undefined);

  const inOrder = names.map(({ id }) => id).filter((id) => id !== "record-3");
  expect(seen).toEqual([...inOrder, "record-3"]);
  expect(pages).toBe(3);
});

test("a page that ends exactly at the last record has no next cursor", async () => {
  await save([{ id: "1" }, { id: "2" }]);

  expect((await list({ limit: 2 })).next_cursor).toBeNull();
  expect((await list({ limit: 1 })).next_cursor).toEqual(expect.any(String));
});

test("a page ends by bytes, too", async () => {
  const name = "x".repeat(6 * 1024 * 1024);
  await save(["1", "2", "3", "4"].map((id) => ({ id, name })));

  const first = await list();
  const second = await list({ cursor: first.next_cursor ?? undefined });

  expect(idsOf(first)).toEqual(["1", "2", "3"]);
  expect(idsOf(second)).toEqual(["4"]);
  expect(second.next_cursor).toBeNull();
});

test("filters choose by the kind of the last change, by id and by time", async () => {
  await save([{ id: "added" }, { id: "updated" }, { id: "deleted" }]);
  app.clock.advance(5000);
  await save([{ id: "updated", name: "new" }]);
  const [, , later] = (await list()).records;
  await remove("deleted");

  expect(idsOf(await list({ filter: new Set(["added"]) }))).toEqual(["added"]);
  expect(idsOf(await list({ filter: new Set(["updated"]) }))).toEqual(["updated"]);
  expect(idsOf(await list({ filter: new Set(["deleted", "added"]) }))).toEqual([
    "added",
    "deleted",
  ]);
  expect(idsOf(await list({ ids: ["deleted", "none"] }))).toEqual(["deleted"]);
  const modifiedAfter = String(later?._svc_metadata["last_modified_at"]);
  expect(idsOf(await list({ modifiedAfter }))).toEqual(["updated", "deleted"]);
});

test("an altered cursor, or one of another connection, model or environment, is refused", async () => {
  await save([{ id: "1" }]);
  const [record] = (await list()).records;
  const cursor = record?._svc_metadata.cursor ?? "";
  const refused = { code: "invalid_cursor" };

  expect(idsOf(await list({ cursor }))).toEqual([]);
  const altered = [...cursor].map(
    (char, at) => cursor.slice(0, at) + (char === "A" ? "B" : "A") + cursor.slice(at + 1),
  );
  for (const bad of [...altered, `${cursor}A`, cursor.slice(0, -2), "!", "AAAA"]) {
    await expect(list({ cursor: bad })).rejects.toMatchObject(refused);
  }
  await expect(list({ cursor, model: "Contact::other" })).rejects.toMatchObject(refused);
  connection = newRandomId<ConnectionUuid>();
  await expect(list({ cursor })).rejects.toMatchObject(refused);
  ctx = await app.addEnvironment();
  await expect(list({ cursor })).rejects.toMatchObject(refused);
});

test("a writer waits for the one before it, so that a reader misses no record that commits late", async () => {
  await save([{ id: "0" }]);
  const held = Promise.withResolvers<void>();
  const written = Promise.withResolvers<void>();
  const slow = withTransaction(ctx, async (inner) => {
    await save([{ id: "slow" }], inner);
    written.resolve();
    await held.promise;
  });
  await written.promise;
  const fast = save([{ id: "fast" }]);
  await waitsForLock();

  const during = await list();
  held.resolve();
  await Promise.all([slow, fast]);
  const cursor = during.records.at(-1)?._svc_metadata.cursor;
  const after = await list({ cursor });

  expect(idsOf(during)).toEqual(["0"]);
  expect(idsOf(after)).toEqual(["slow", "fast"]);
});

/** Resolves once a statement of this database waits for a lock. */
async function waitsForLock(): Promise<void> {
  for (;;) {
    const { rows } = await sql`
      select 1 from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`.execute(ctx.db);
    if (rows.length > 0) return;
  }
}

test("writers of the same records at once neither deadlock nor miscount", async () => {
  const ids = Array.from({ length: 200 }, (_, index) => `record-${index}`);
  const batches = Array.from({ length: 8 }, (_, turn) =>
    save(ids.toSorted(() => Math.random() - 0.5).map((id) => ({ id, turn }))),
  );

  const results = await Promise.all(batches);

  expect(results.reduce((total, { added }) => total + added, 0)).toBe(200);
  expect(results.reduce((total, { updated }) => total + updated, 0)).toBe(7 * 200);
  expect(await count()).toBe(200);
});

test("a write whose run has lost its place leaves nothing behind", async () => {
  refusal = new Error("taken over");

  await expect(save([{ id: "1" }])).rejects.toThrow("taken over");

  expect(idsOf(await list())).toEqual([]);
  expect(await count()).toBeUndefined();
});

test("times of a model only grow, also when the clock goes back", async () => {
  await save([{ id: "1" }]);
  app.clock.advance(-60_000);
  await save([{ id: "2" }]);
  app.clock.advance(60_000);

  const times = (await list()).records.map((record) => record._svc_metadata["last_modified_at"]);

  expect(times.toSorted()).toEqual(times);
  expect(new Set(times).size).toBe(2);
});

test("clearing a model removes its records and leaves older cursors valid", async () => {
  await save([{ id: "1" }, { id: "2" }]);
  const cursor = (await list()).records.at(-1)?._svc_metadata.cursor;

  await clearRecords(ctx, { connection, models: ["Contact", "Never"] });

  expect(await count()).toBe(0);
  expect(await save([{ id: "1" }])).toMatchObject({ added: 1 });
  expect(idsOf(await list({ cursor }))).toEqual(["1"]);
});

test("another environment sees none of the records", async () => {
  await save([{ id: randomUUID() }]);

  ctx = await app.addEnvironment();

  expect(idsOf(await list())).toEqual([]);
  expect(await count()).toBeUndefined();
});
