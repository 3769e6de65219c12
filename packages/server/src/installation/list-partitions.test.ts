import { sql } from "kysely";
import { expect, test } from "vitest";
import { addMs, DAY } from "#foundation";
import { RecentFailures } from "#foundation/http";
import { createTestContext } from "#foundation/testing";
import { ensureLogPartitions, logTables } from "#logs";
import { installationFacts } from "./installation-facts.ts";
import { listPartitions } from "./list-partitions.ts";

const unused = { roles: [], apiProcesses: 1, poolSize: 1, dataDir: "", backlogs: [] } as const;

test("a table says which days it has, which is missing, and whether its default partition has rows", async () => {
  await using app = await createTestContext();
  const { ctx, clock, database } = app;
  const day = (ahead: number) =>
    addMs(clock.now(), ahead * DAY)
      .toISOString()
      .slice(0, 10);
  installationFacts.set(ctx, {
    ...unused,
    startedAt: clock.now(),
    dayTables: logTables,
    egress: { allow: [], authorities: 0 },
    failures: new RecentFailures(),
  });
  await ensureLogPartitions(ctx);
  const read = async () => (await listPartitions(ctx)).find(({ table }) => table === "operations");

  const complete = await read();
  await sql`drop table ${sql.table(`operations_${day(1).replaceAll("-", "")}`)}`.execute(
    database.db,
  );
  await sql`
    insert into operations (id, environment_id, type, action, state, level, message, created_at)
    values (gen_random_uuid(), gen_random_uuid(), 'sync', 'run', 'success', 'info', '', ${addMs(clock.now(), DAY)})`.execute(
    database.db,
  );
  const broken = await read();

  expect(complete).toMatchObject({
    ...{ first_day: day(0), last_day: day(3), days: 4, missing_days: [], default_is_empty: true },
  });
  expect(complete?.bytes).toBeGreaterThan(0);
  expect(broken).toMatchObject({ days: 3, missing_days: [day(1)], default_is_empty: false });
});
