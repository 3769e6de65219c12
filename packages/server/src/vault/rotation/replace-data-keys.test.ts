import { sql } from "kysely";
import { afterAll, expect, test } from "vitest";
import type { EnvironmentContext } from "#foundation";
import { createTestContext } from "#foundation/testing";
import { deriveKey, open, type SealedColumn, seal } from "#vault";
import { openStored } from "./open-stored.ts";
import { replaceDataKeys } from "./replace-data-keys.ts";
import { listSealedRows, replaceSealedRows } from "./store.ts";
import { verifySealed } from "./verify-sealed.ts";

const installation = await createTestContext();
afterAll(async () => await installation[Symbol.asyncDispose]());
const { ctx } = installation;
const column: SealedColumn = {
  table: "environment_variables",
  column: "value",
  key: [
    ["environment_id", "uuid"],
    ["name", "text"],
  ],
  row: "t.name",
};
const aadOf = (of: EnvironmentContext, name: string) => ({
  environmentId: of.environment.id,
  table: column.table,
  column: column.column,
  row: name,
});

async function write(of: EnvironmentContext, name: string, text: string): Promise<void> {
  const value = await seal(of, aadOf(of, name), Buffer.from(text));
  await sql`insert into environment_variables (environment_id, name, value, updated_at)
    values (${of.environment.id}, ${name}, ${value}, now())
    on conflict (environment_id, name) do update set value = excluded.value`.execute(of.db);
}

async function read(of: EnvironmentContext, name: string): Promise<string> {
  const { rows } = await sql<{ value: Buffer }>`select value from environment_variables
    where environment_id = ${of.environment.id} and name = ${name}`.execute(of.db);
  const another = { ...of, keys: { ring: of.keys.ring, dataKeys: new Map() } };
  return (await open(another, aadOf(of, name), rows[0]?.value ?? Buffer.of())).toString();
}

async function countOld(): Promise<number> {
  const [report] = await verifySealed(ctx, [column]);
  return report?.byReplacedKey ?? -1;
}

test("every text is sealed again, of all environments; lookup keys stay", async () => {
  const other = await installation.addEnvironment();
  const wanted = { environmentId: ctx.environment.id, purpose: "x" };
  const derived = await deriveKey(ctx, wanted);
  for (let n = 0; n < 1200; n += 1) await write(ctx, `v${n}`, `text ${n}`);
  await write(other, "v0", "of the other");

  const report = await replaceDataKeys(ctx, [column]);

  expect(report).toEqual({
    resumed: false,
    resealed: { "environment_variables.value": 1201 },
    failed: {},
  });
  expect(await countOld()).toBe(0);
  expect([await read(ctx, "v1199"), await read(other, "v0")]).toEqual([
    "text 1199",
    "of the other",
  ]);
  expect(await deriveKey({ ...ctx, keys: { ...ctx.keys, dataKeys: new Map() } }, wanted)).toEqual(
    derived,
  );
});

test("cut off at any batch it continues, and what does not open is counted and left alone", async () => {
  await sql`update environment_variables set value = set_byte(value, 40, 255 - get_byte(value, 40))
    where name = 'v7'`.execute(ctx.db);
  const cutOff = () => {
    throw new Error("killed");
  };

  for (let kills = 0; kills < 2; kills += 1) {
    await expect(replaceDataKeys(ctx, [column], { tell: cutOff })).rejects.toThrow("killed");
  }
  const between = await countOld();
  const report = await replaceDataKeys(ctx, [column]);

  expect(between).toBeGreaterThan(0);
  expect(report.resumed).toBe(true);
  expect(report.resealed["environment_variables.value"]).toBe(1200);
  expect(report.failed).toEqual({ "environment_variables.value": 1 });
  expect(await countOld()).toBe(0);
  const [verified] = await verifySealed(ctx, [column]);
  expect(verified).toMatchObject({ ok: 1200, failed: 1 });
  expect(verified?.failedRows).toEqual([`${ctx.environment.id}/v7`]);
});

test("keys that were replaced long ago go, but for those that a text still names", async () => {
  const countReplaced = async () => {
    const { rows } = await sql<{ count: number }>`select count(*)::int as count from data_keys
      where replaced_at is not null`.execute(ctx.db);
    return rows[0]?.count;
  };
  await replaceDataKeys(ctx, [column]);
  const recent = await countReplaced();
  await sql`update data_keys set replaced_at = now() - interval '31 days'
    where replaced_at is not null`.execute(ctx.db);

  await replaceDataKeys(ctx, [column]);
  await sql`update data_keys set replaced_at = now() - interval '31 days'
    where replaced_at is not null`.execute(ctx.db);
  await replaceDataKeys(ctx, [column]);

  const { rows } = await sql<{ isKept: boolean }>`select exists (select from data_keys k
    join environment_variables v on replace(k.id::text, '-', '') = encode(substring(v.value from 2 for 16), 'hex')
    where v.name = 'v7' and k.replaced_at is not null) as is_kept`.execute(ctx.db);
  expect(recent).toBeGreaterThan(2);
  expect(rows[0]?.isKept).toBe(true);
  expect(await countReplaced()).toBe(3);
});

test("a write that came after the reading wins, and a row that is locked is not waited for", async () => {
  for (const name of ["v1", "v10", "v100"]) await write(ctx, name, "old");
  const found = (
    await listSealedRows(ctx.db, column, { after: undefined, sealedBy: undefined })
  ).filter(({ row }) => ["v1", "v10", "v100"].includes(row));
  const resealed = await Promise.all(
    found.map(async (old) => {
      const sealed = await seal(ctx, aadOf(ctx, old.row), Buffer.from("again"));
      return { old, sealed };
    }),
  );

  await write(ctx, "v1", "written meanwhile");
  const replaced = await ctx.db.transaction().execute(async (trx) => {
    await sql`select from environment_variables where name = 'v10' for update`.execute(trx);
    return await replaceSealedRows(ctx.db, column, resealed);
  });

  expect(replaced).toBe(1);
  const texts = [await read(ctx, "v1"), await read(ctx, "v10"), await read(ctx, "v100")];
  expect(texts).toEqual(["written meanwhile", "old", "again"]);
});

test("a row of an environment that was erased since it was listed is no fault; a damaged one is", async () => {
  const gone = await installation.addEnvironment();
  await write(gone, "of gone", "text");
  await write(ctx, "damaged", "text");
  await sql`update environment_variables set value = set_byte(value, 40, 255 - get_byte(value, 40))
    where name = 'damaged'`.execute(ctx.db);
  const list = async ({ environment: { id } }: EnvironmentContext, name: string) => {
    // Behind the name that comes before it.
    const after = [id, name.slice(0, -1)];
    const [row] = await listSealedRows(ctx.db, column, { after, sealedBy: undefined });
    if (row?.row !== name) throw new Error(`${name} was not listed`);
    return row;
  };
  const rows = { "of gone": await list(gone, "of gone"), damaged: await list(ctx, "damaged") };
  const kindOf = async (name: keyof typeof rows) => {
    const another = { ...ctx, keys: { ring: ctx.keys.ring, dataKeys: new Map() } };
    return (await openStored(another, column, rows[name])).kind;
  };

  const before = await kindOf("of gone");
  await sql`delete from data_keys where environment_id = ${gone.environment.id}`.execute(ctx.db);
  const shredded = await kindOf("of gone");
  await sql`delete from environments where id = ${gone.environment.id}`.execute(ctx.db);

  expect([before, shredded, await kindOf("of gone")]).toEqual(["opened", "failed", "changed"]);
  expect(await kindOf("damaged")).toBe("failed");
});
