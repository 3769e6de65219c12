import { sql } from "kysely";
import { addMs, DAY, type SystemContext } from "../../../packages/server/src/foundation/index.ts";
import { dropOldPartitions } from "../../../packages/server/src/logs/drop-old-partitions.ts";
import { eraseLogsOfEnvironments } from "../../../packages/server/src/logs/index.ts";
import type { BenchRow } from "../meters/row.ts";

/** After so many days the first of the ten that are filled is past its retention. */
const FIRST_DAY_ENDS = 7;

/** How the log ends: a day of it by its age, and all that an environment has when that is erased. */
export async function measureLogEnds(ctx: SystemContext): Promise<BenchRow[]> {
  const later = addMs(ctx.clock.now(), FIRST_DAY_ENDS * DAY);
  const before = await readLog(ctx);
  const startedAt = performance.now();
  await dropOldPartitions({ ...ctx, clock: { now: () => later } });
  const droppedMs = performance.now() - startedAt;
  const left = await readLog(ctx);
  const { rows } = await sql<{ id: string }>`
    select environment_id as id from integrations where unique_key = 'bench'`.execute(
    ctx.db.withoutPlugins(),
  );
  const erasedAt = performance.now();
  const { operations } = await eraseLogsOfEnvironments(
    ctx,
    rows.map(({ id }) => id),
  );
  return [
    {
      ...{ name: "scale: a day of the log ends by its age", value: droppedMs, unit: "ms" },
      note: `${((before.bytes - left.bytes) / 1e6).toFixed(0)} MB of ${(before.bytes / 1e6).toFixed(0)} MB in ten days`,
    },
    {
      name: "scale: erasure of the log of an environment",
      value: (performance.now() - erasedAt) / 1000,
      unit: "s",
      note: `${operations.toLocaleString("en")} operations`,
    },
  ];
}

async function readLog({ db }: SystemContext): Promise<{ bytes: number }> {
  const { rows } = await sql<{ bytes: number }>`
    select sum(pg_total_relation_size(relid))::float8 as bytes
      from unnest(array['operations', 'operation_messages']) t, pg_partition_tree(t::regclass)`.execute(
    db,
  );
  return rows[0] ?? { bytes: 0 };
}
