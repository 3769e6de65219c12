import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type ConnectionUuid, type EnvironmentContext, newTimeId, type RunId } from "#foundation";
import {
  countReads,
  createTestContext,
  isPreparedRun,
  type TestContext,
} from "#foundation/testing";
import { insertTestConnection, insertTestIntegration } from "#functions/testing";
import { clearRecords } from "../erasure/clear-records.ts";
import { findModel } from "../models/known-model.ts";
import { listRecordModels } from "../models/list-models.ts";
import { pruneModel } from "../retention/prune-records.ts";
import { deleteRecords } from "../writing/delete-records.ts";
import { saveRecords } from "../writing/save-records.ts";
import { countBytes } from "./count-bytes.ts";
import { forgetCounted } from "./store.ts";

let app: TestContext;
let ctx: EnvironmentContext;
let place: { connection: ConnectionUuid; model: string };

beforeAll(async () => {
  app = await createTestContext();
});
afterAll(async () => await app[Symbol.asyncDispose]());
beforeEach(async () => {
  ctx = await app.addEnvironment();
  const integration = await insertTestIntegration(ctx, "crm");
  const { uuid } = await insertTestConnection(ctx, integration, "customer-1");
  place = { connection: uuid, model: "Contact" };
});

const writer = { runId: newTimeId<RunId>(new Date()), fence: 1 };

async function save(context: EnvironmentContext, texts: Readonly<Record<string, string>>) {
  const ids = Object.keys(texts);
  const lines = ids.map((id) => Buffer.from(JSON.stringify({ id, text: texts[id] })));
  await saveRecords(context, { ...place, writer, ids, lines });
}

async function readListed(context = ctx): Promise<number | null | undefined> {
  const all = { integrationKey: undefined, connectionId: undefined, model: undefined };
  const { data } = await listRecordModels(context, { ...all, limit: 10, cursor: undefined });
  return data[0]?.bytes;
}

async function readStored(): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select coalesce(sum(coalesce(octet_length(payload), octet_length(document::text), 0)), 0)::int as bytes
      from records join record_models m on m.id = model_id
     where m.environment_id = ${ctx.environment.id}`.execute(ctx.db);
  return rows[0]?.bytes ?? Number.NaN;
}

async function prune(): Promise<void> {
  const model = await findModel(ctx, place);
  if (model === undefined) throw new Error("nothing was saved");
  await pruneModel(ctx, model.id, new Date(ctx.clock.now().getTime() + 1));
}

test.each(["sealed", "plain"] as const)(
  "bytes of a model follow each change of its %s records",
  async (recordStorage) => {
    const own = { ...ctx, settings: { ...ctx.settings, recordStorage } };
    const seen: number[] = [];
    const check = async () => {
      const stored = await readStored();
      expect(await readListed()).toBe(stored);
      seen.push(stored);
    };

    await save(own, { 1: "a", 2: "bb", 3: "c".repeat(5000) });
    await check();
    await save(own, { 1: "longer", 2: "bb", 4: "d" });
    await check();
    await deleteRecords(own, { ...place, writer, ids: ["3"] });
    await check();
    await save(own, { 3: "short" });
    await check();
    await prune();
    await check();
    await save(own, { 1: "longer" });
    await check();
    await clearRecords(own, { connection: place.connection, models: [place.model] });
    await check();

    const [first, changed, deleted, back, pruned, restored, cleared] = seen;
    expect(first).toBeGreaterThan(5000);
    expect(changed).toBeGreaterThan(first ?? 0);
    expect(deleted).toBe(changed);
    expect(back).toBeLessThan(5000);
    expect([pruned, cleared]).toEqual([0, 0]);
    expect(restored).toBeGreaterThan(0);
  },
);

test("contents that change their way of storage are counted as they are stored", async () => {
  await save(ctx, { 1: "a", 2: "b" });
  const plain = { ...ctx, settings: { ...ctx.settings, recordStorage: "plain" as const } };

  await save(plain, { 1: "changed" });

  expect(await readListed()).toBe(await readStored());
});

/** As a release did that did not count bytes; on a prepared schema none writes, and what was uncounted before stays noted. */
async function moveSequence(): Promise<void> {
  const { id } = ctx.environment;
  await sql`update record_models set sequence = sequence + 1 where environment_id = ${id}`.execute(
    ctx.db,
  );
  if (!isPreparedRun()) return;
  await sql`
    insert into uncounted_record_models select id from record_models where environment_id = ${id}`.execute(
    ctx.db,
  );
}

async function listNoted(): Promise<number> {
  const { rows } = await sql`select from uncounted_record_models`.execute(ctx.db);
  return rows.length;
}

test("bytes are not known after an earlier release has written, until they are counted", async () => {
  await save(ctx, { 1: "a", 2: "b" });
  await moveSequence();

  const unknown = await readListed();
  await save(ctx, { 3: "c" });
  const still = await readListed();
  await countBytes(ctx);
  const counted = await readListed();
  await save(ctx, { 4: "d" });

  expect([unknown, still]).toEqual([null, null]);
  expect(counted).toBeGreaterThan(0);
  expect(await readListed()).toBe(await readStored());
});

test("the count of bytes reads no model whose bytes are known", async () => {
  for (let n = 0; n < 50; n += 1) {
    place = { ...place, model: `Known${n}` };
    await save(ctx, { 1: "a" });
  }
  const known = await countReads(ctx, "%record%", async (ctx) => await countBytes(ctx));
  await moveSequence();
  const noted = await listNoted();

  await countBytes(ctx);

  expect(known).toBe(0);
  expect([noted, await listNoted()]).toEqual([50, 0]);
  expect(await countReads(ctx, "%record%", async (ctx) => await countBytes(ctx))).toBe(0);
});

test("a model stays to be counted until its bytes are known", async () => {
  await save(ctx, { 1: "a" });
  await moveSequence();
  const model = await findModel(ctx, place);
  if (model === undefined) throw new Error("nothing was saved");

  await forgetCounted(ctx.db, model.id);

  expect(await listNoted()).toBe(1);
  await countBytes(ctx);
  expect(await listNoted()).toBe(0);
  expect(await readListed()).toBe(await readStored());
});

test("a list of models reads no records", async () => {
  await save(ctx, { 1: "a", 2: "b" });

  const listed = await countReads(ctx, "records%", async (ctx) => await readListed(ctx));
  const saved = await countReads(ctx, "records%", async (ctx) => await save(ctx, { 2: "c" }));

  expect(listed).toBe(0);
  expect(saved).toBeGreaterThan(0);
});
