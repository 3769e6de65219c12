import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import {
  type ConnectionUuid,
  type EnvironmentContext,
  newRandomId,
  newTimeId,
  type RunId,
} from "#foundation";
import { withTransaction } from "#foundation/db";
import { countReads, createTestContext, type TestContext } from "#foundation/testing";
import { clearRecords } from "../erasure/clear-records.ts";
import { removeModel } from "../erasure/erase-records.ts";
import { findModel } from "../models/known-model.ts";
import { endTracking, startTracking } from "../tracking/track-deletes.ts";
import { deleteRecords } from "../writing/delete-records.ts";
import { saveRecords } from "../writing/save-records.ts";
import { joinOldFeedEntries } from "./join-old-entries.ts";
import { noteChanges } from "./note-changes.ts";

let app: TestContext;
let ctx: EnvironmentContext;
beforeAll(async () => {
  app = await createTestContext();
});
afterAll(async () => await app[Symbol.asyncDispose]());
beforeEach(async () => {
  ctx = await app.addEnvironment();
});

const connection = newRandomId<ConnectionUuid>();
const writer = { runId: newTimeId<RunId>(new Date()), fence: 1 };

async function save(model: string, id: string, inside = ctx) {
  const lines = [Buffer.from(JSON.stringify({ id }))];
  await saveRecords(inside, { connection, model, writer, ids: [id], lines });
}

/** As if the feed had begun more than ten minutes ago. */
async function follow() {
  await noteChanges(ctx);
  await sql`
    update record_feeds set compared_until = now() where environment_id = ${ctx.environment.id}`.execute(
    ctx.db,
  );
}

async function listNotes() {
  const { rows } = await sql`
    select from record_feed_notes where environment_id = ${ctx.environment.id}`.execute(ctx.db);
  return rows;
}

async function listEntries() {
  const { rows } = await sql<{ text: string }>`
    select model || ' ' || coalesce(after_sequence || '-' || until_sequence, 'removed') as text
      from record_feed_entries where environment_id = ${ctx.environment.id} order by position`.execute(
    ctx.db,
  );
  return rows.map(({ text }) => text);
}

/** A transaction that saves and is committed later. */
async function saveSlowly(model: string) {
  const saved = Promise.withResolvers<void>();
  const commit = Promise.withResolvers<void>();
  const done = withTransaction(ctx, async (inside) => {
    await save(model, "slow", inside);
    saved.resolve();
    await commit.promise;
  });
  await saved.promise;
  return async () => {
    commit.resolve();
    await done;
  };
}

test("looking for changes reads the models that have changed, not all", async () => {
  for (let n = 0; n < 3; n += 1) await save(`Model${n}`, "1");
  await sql`
    insert into record_models
      (id, environment_id, connection_uuid, model, sequence, last_modified_at, bytes, bytes_sequence)
    select number * 4294967296 + nextval('record_model_numbers'), environment_id, ${connection}, 'Many' || n, 1, now(),
           0, 1
      from record_environments, generate_series(1, 5000) n
     where environment_id = ${ctx.environment.id}`.execute(ctx.db);
  await follow();
  await save("Model1", "2");
  await noteChanges(ctx);
  await save("Model2", "2");

  const look = async (inside: EnvironmentContext) => {
    await noteChanges(inside);
    await noteChanges(inside);
  };
  const models = await countReads(ctx, "record_models", look);
  await save("Model0", "2");
  const noted = await countReads(ctx, "record_feed_models", look);

  expect(models).toBeLessThan(10);
  expect(noted).toBeLessThan(10);
  expect((await listEntries()).slice(-3)).toEqual(["Model1 1-2", "Model2 1-2", "Model0 1-2"]);
});

test("what is committed late is noted, though a note of the same model was taken before", async () => {
  await save("Contact", "1");
  await follow();
  await save("Deal", "1");
  const commit = await saveSlowly("Contact");
  await noteChanges(ctx);
  const before = await listEntries();
  await commit();
  await noteChanges(ctx);

  expect(before).toEqual(["Contact 0-1", "Deal 0-1"]);
  expect(await listEntries()).toEqual(["Contact 0-1", "Deal 0-1", "Contact 1-2"]);
});

test("who began to write before the feed was there is read too", async () => {
  const commit = await saveSlowly("Contact");
  await noteChanges(ctx);
  await commit();

  await noteChanges(ctx);

  expect(await listEntries()).toEqual(["Contact 0-1"]);
});

test("removals are noted: of all records of a model, and of the model", async () => {
  await save("Contact", "1");
  await save("Deal", "1");
  await follow();
  await clearRecords(ctx, { connection, models: ["Contact"] });
  await noteChanges(ctx);
  const deal = await findModel(ctx, { connection, model: "Deal" });
  if (deal !== undefined) await removeModel(ctx, ctx.environment.id, deal.id);
  await noteChanges(ctx);

  expect((await listEntries()).slice(2)).toEqual([
    "Contact removed",
    "Contact 0-1",
    "Deal removed",
  ]);
  expect(await listNotes()).toEqual([]);
});

test("notes that no reader takes are taken each day, and go with the feed", async () => {
  await save("Contact", "1");
  expect(await listNotes()).toEqual([]);
  await follow();
  for (let n = 0; n < 3; n += 1) await save("Contact", `a${n}`);
  expect(await listNotes()).toHaveLength(3);

  await joinOldFeedEntries(app.ctx);

  expect(await listNotes()).toEqual([]);
  expect(await listEntries()).toEqual(["Contact 0-1", "Contact 1-4"]);
  await save("Contact", "b");
  await sql`delete from record_feeds where environment_id = ${ctx.environment.id}`.execute(ctx.db);
  expect(await listNotes()).toEqual([]);
});

test("deletions are noted: by id, and of what a run has not seen", async () => {
  await save("Contact", "1");
  await save("Deal", "1");
  await follow();
  const by = { kind: "sync" as const, functionId: 1 };
  await deleteRecords(ctx, { connection, model: "Contact", writer, ids: ["1"] });
  await startTracking(ctx, { connection, model: "Deal", by, goesOn: false });
  await endTracking(ctx, { connection, model: "Deal", by, writer, guardShare: undefined });

  await noteChanges(ctx);

  expect(await listEntries()).toEqual(["Contact 0-1", "Deal 0-1", "Contact 1-2", "Deal 1-2"]);
});
