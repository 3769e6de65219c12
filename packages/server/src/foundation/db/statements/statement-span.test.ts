import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { withinSpan } from "../../instruments/index.ts";
import { createTestContext, recordSpans, type TestContext } from "../../testing/index.ts";

let installation: TestContext;

beforeAll(async () => {
  installation = await createTestContext();
});
afterAll(async () => await installation[Symbol.asyncDispose]());

test("a statement of traced work has a span that names its table and holds no value", async () => {
  const { db } = installation.ctx;
  const { root, spans } = recordSpans();

  await withinSpan(root, async () => {
    await sql`select * from environments where name = ${"a secret value"}`.execute(db);
    await db.transaction().execute(async (trx) => {
      await sql`update environments set name = ${"another"} where false`.execute(trx);
    });
  });

  const below = spans.slice(1);
  expect(below.map(({ name }) => name)).toEqual([
    "SELECT environments",
    "BEGIN",
    "UPDATE environments",
    "COMMIT",
  ]);
  expect(below[0]?.attributes).toEqual({
    "db.system.name": "postgresql",
    "db.operation.name": "SELECT",
    "db.query.summary": "SELECT environments",
    "db.collection.name": "environments",
  });
  expect(below.every(({ parent, hasEnded }) => parent === "root" && hasEnded)).toBe(true);
  expect(JSON.stringify(spans)).not.toMatch(/secret value|another/);
});

test("one that fails has the SQLSTATE, and nothing of its message", async () => {
  const { db } = installation.ctx;
  const { root, spans } = recordSpans();

  const outcome = withinSpan(root, async () => await sql`select ${"word"}::int`.execute(db));

  await expect(outcome).rejects.toThrow("word");
  expect(spans[1]).toMatchObject({ name: "SELECT", failed: "22P02", hasEnded: true });
  expect(JSON.stringify(spans)).not.toContain("word");
});

test("beyond 200 statements of one piece of work are counted", async () => {
  const { db } = installation.ctx;
  const { root, spans } = recordSpans();

  await withinSpan(root, async () => {
    for (let n = 0; n < 230; n += 1) await sql`select 1`.execute(db);
  });

  expect(spans).toHaveLength(1 + 200);
  expect(spans[0]?.attributes).toEqual({ "svc.statements.left_out": 30 });
});

test("outside traced work, after its end and below what is left out there are none", async () => {
  const { db } = installation.ctx;
  const { root, spans } = recordSpans();
  const leftOut = { ...recordSpans().root, isRecording: false };

  await sql`select 1`.execute(db);
  await withinSpan(root, async () => {
    await withinSpan(leftOut, async () => await sql`select 1`.execute(db));
    root.end();
    await sql`select 1`.execute(db);
  });

  expect(spans).toHaveLength(1);
});
