import { randomUUID } from "node:crypto";
import { routes } from "@jackfield/contract";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { auditTrail } from "#audit";
import type { SystemContext } from "#foundation";
import { guardedDb, ownDb } from "#foundation/db";
import { createTestContext, type TestContext } from "#foundation/testing";

let app: TestContext;
let ctx: SystemContext;
beforeAll(async () => {
  app = await createTestContext();
  const { accountId } = app.ctx.environment;
  ctx = {
    ...app.ctx,
    actor: { kind: "key", keyId: randomUUID(), accountId, scopes: ["environment:*"] },
  };
  await sql`create table things (n int)`.execute(ctx.db);
});
afterAll(async () => await app[Symbol.asyncDispose]());

function begin() {
  const { createApiKey: route } = routes;
  const note = auditTrail.begin(ctx, { name: "createApiKey", route, input: {} });
  if (note === undefined) throw new Error("the route is not audited");
  return { note, db: guardedDb(ctx.db, note) };
}

async function count(table: "things" | "audit_events"): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from ${sql.table(table)}`.execute(ctx.db);
  return rows[0]?.n ?? 0;
}

const statements = {
  insert: sql`insert into things values (1)`,
  update: sql`update things set n = 2`,
  "update after with": sql`with t as (select 1) update things set n = 3`,
  "insert within with": sql`with t as (insert into things values (1) returning n) select * from t`,
  delete: sql`delete from things`,
};

test.each(Object.entries(statements))(
  "%s alone: the row is in its transaction, once",
  async (_name, statement) => {
    const { note, db } = begin();
    const before = await count("audit_events");

    await statement.execute(db);
    const after = await count("audit_events");
    await statement.execute(ownDb(db, randomUUID()));
    await note.finish();

    expect(after).toBe(before + 1);
    expect(await count("audit_events")).toBe(after);
    const { rows } = await sql<{ same: boolean }>`
    select (select xmin from audit_events order by sequence desc limit 1) = any (array(select xmin from things)) as same`.execute(
      ctx.db,
    );
    if (/insert/.test(_name)) expect(rows[0]?.same).toBe(true);
  },
);

test("reading leaves no row", async () => {
  const { db } = begin();
  const before = await count("audit_events");

  await sql`select * from things`.execute(db);
  await sql`with t as (select 1) select * from t`.execute(db);

  expect(await count("audit_events")).toBe(before);
});

test("a change whose row cannot be written is not made, and the handle works on", async () => {
  const { db } = begin();
  const before = await count("things");
  await sql`alter table audit_events add constraint full_disk check (false) not valid`.execute(
    ctx.db,
  );

  await expect(statements.insert.execute(db)).rejects.toThrow("full_disk");
  await sql`alter table audit_events drop constraint full_disk`.execute(ctx.db);
  const unchanged = await count("things");
  await statements.insert.execute(db);

  expect(unchanged).toBe(before);
  expect(await count("things")).toBe(before + 1);
});

test("a statement that fails leaves no row", async () => {
  const { note, db } = begin();
  const before = await count("audit_events");

  await expect(sql`insert into things values ('x')`.execute(db)).rejects.toThrow("invalid input");

  expect(await count("audit_events")).toBe(before);
  await note.finish();
  expect(await count("audit_events")).toBe(before + 1);
});
