import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { addMs, HOUR, SECOND } from "#foundation";
import type { Db } from "#foundation/db";
import { countReads, createTestContext, type TestContext } from "#foundation/testing";
import { claimItems, findNextDue } from "./store.ts";

let app: TestContext;
beforeAll(async () => {
  app = await createTestContext();
});
afterAll(async () => await app[Symbol.asyncDispose]());

const MANY = 3000;
const [busy, other, crowded, later] = [1, 2, 3, 4];

/** Withdrawals of an integration, due one a second from a moment on. */
async function addItems(
  { db, environment }: TestContext["ctx"],
  { integration, count, from }: { integration: number; count: number; from: Date },
): Promise<void> {
  await sql`
    with added as (
      insert into revocations (id, environment_id, is_rehearsal, match, actor, ends_sessions, created_at, passes_left)
      values (gen_random_uuid(), ${environment.id}, false, '{}', '{}', false, now(), 0) returning id, environment_id)
    insert into revocation_items
      (revocation_id, position, environment_id, connection_uuid, connection_id, integration_id, integration_key,
       provider, due_at)
    select id, n, environment_id, gen_random_uuid(), 'c-' || n, ${integration}, 'crm', 'github',
           ${from}::timestamptz + n * interval '1 s'
      from added, generate_series(1, ${count}::int) n`.execute(db);
}

test("withdrawals are claimed past what waits for others, the oldest first, and without reading it", async () => {
  const { ctx, clock } = app;
  const now = clock.now();
  const full = await app.addEnvironment();
  await addItems(ctx, { integration: busy, count: MANY, from: addMs(now, -4 * HOUR) });
  await addItems(full, { integration: crowded, count: MANY, from: addMs(now, -4 * HOUR) });
  await addItems(ctx, { integration: other, count: 2 * MANY, from: addMs(now, -HOUR) });
  await addItems(ctx, { integration: later, count: 1, from: addMs(now, HOUR) });
  const options = { limit: 8, heldMs: 30 * SECOND, crowded: [full.environment.id] };

  for (const state of ["unknown to Postgres", "analyzed"]) {
    if (state === "analyzed") await sql`analyze revocation_items`.execute(ctx.db);
    const claim = async (db: Db, given: readonly number[]) => {
      const claimed = await claimItems(db, { ...options, now, busy: given });
      return claimed.map((item) => `${item.integrationId} ${item.position}`).toSorted();
    };
    const found: unknown[] = [];
    const reads = await countReads(ctx, "revocation_items", async ({ db }) => {
      found.push(await claim(db, [busy]), await claim(db, [busy, other]));
      const rest = { busy: [busy, other], crowded: options.crowded };
      found.push(await findNextDue(db, rest), await findNextDue(db, { ...rest, busy: [busy] }));
    });

    const first = state === "analyzed" ? 9 : 1;
    const oldest = Array.from({ length: 8 }, (_, n) => `${other} ${first + n}`).toSorted();
    const next = addMs(now, -HOUR + (first + 8) * SECOND);
    expect(found, state).toEqual([oldest, [], addMs(now, HOUR + SECOND), next]);
    expect(reads, state).toBeLessThan(150);
  }
});

test("of several integrations the oldest withdrawals come first, and who claims at the same time gets others or none", async () => {
  await using app = await createTestContext();
  const { ctx, clock } = app;
  const now = clock.now();
  await addItems(ctx, { integration: 1, count: 4, from: addMs(now, -HOUR) });
  await addItems(ctx, { integration: 2, count: 4, from: addMs(now, -HOUR - 2500) });
  const options = { now, limit: 5, heldMs: 30 * SECOND, busy: [], crowded: [] };

  const both = await Promise.all([claimItems(ctx.db, options), claimItems(ctx.db, options)]);
  const rest = await claimItems(ctx.db, { ...options, limit: 8 });

  const name = (item: { integrationId: number; position: number }) =>
    `${item.integrationId} ${item.position}`;
  const first = both.flat().map(name);
  expect(new Set(first).size).toBe(first.length);
  expect(first).toEqual(expect.arrayContaining(["2 1", "2 2", "2 3", "1 1", "2 4"]));
  expect([...first, ...rest.map(name)].toSorted()).toEqual(
    [1, 2].flatMap((integration) => [1, 2, 3, 4].map((n) => `${integration} ${n}`)).toSorted(),
  );
});
