import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { withTransaction } from "../../packages/server/src/foundation/db/index.ts";
import { countStatements, type StatementCounts } from "../count-statements.ts";
import { type LargeEnvironment, startLargeEnvironment } from "./large-environment.ts";

const stack = new AsyncDisposableStack();
let statements: StatementCounts;
let large: LargeEnvironment;
beforeAll(async () => {
  // Before the server connects: its clients keep the method that they begin with.
  statements = stack.use(countStatements());
  large = stack.use(await startLargeEnvironment());
});
afterAll(async () => await stack[Symbol.asyncDispose]());

async function countLeft(): Promise<{ connections: number; schedules: number }> {
  const { rows } = await sql<{ connections: number; schedules: number }>`
    select (select count(*) from connections where deleted_at is null)::int as connections,
           (select count(*) from syncs where deleted_at is null)::int as schedules`.execute(
    large.api.database.db,
  );
  return rows[0] ?? { connections: 0, schedules: 0 };
}

test("an integration's connections are deleted by the page: a page more takes a handful of statements", async () => {
  await large.fill("few", 350);
  await large.fill("many", 750);
  const count = () => [...statements.byText.values()].reduce((sum, each) => sum + each, 0);
  const atFirst = count();

  const few = await large.send("DELETE", "/integrations/few");
  const ofFew = count() - atFirst;
  const many = await large.send("DELETE", "/integrations/many");
  const ofMany = count() - atFirst - ofFew;

  expect([few.status, many.status]).toEqual([200, 200]);
  expect(await countLeft()).toEqual({ connections: 0, schedules: 0 });
  // Two pages more, of 15 statements with their transaction.
  expect(ofMany).toBeGreaterThan(ofFew);
  expect(ofMany - ofFew).toBeLessThanOrEqual(40);
});

test("a schedule that another transaction holds keeps its connection until later, and that waits for nobody meanwhile", async () => {
  await large.fill("crm", 250);
  const held = Promise.withResolvers<void>();
  const isHeld = Promise.withResolvers<void>();
  const lock = async (of: "syncs" | "connections", db = large.api.database.db) =>
    await (of === "syncs"
      ? sql`select from syncs s join connections c on c.uuid = s.connection_uuid
               where c.connection_id = 'more 7' and s.deleted_at is null for update of s`
      : sql`select from connections where connection_id = 'more 7' and deleted_at is null for update`
    ).execute(db);
  // As a deployment does: schedules first, and connections then.
  const holding = withTransaction({ db: large.api.database.db }, async ({ db }) => {
    await lock("syncs", db);
    isHeld.resolve();
    await held.promise;
    await lock("connections", db);
  });
  await isHeld.promise;

  const deleting = large.send("DELETE", "/integrations/crm");
  await expect.poll(countLeft).toEqual({ connections: 1, schedules: 1 });
  held.resolve();
  await holding;

  expect((await deleting).status).toBe(200);
  expect(await countLeft()).toEqual({ connections: 0, schedules: 0 });
});
