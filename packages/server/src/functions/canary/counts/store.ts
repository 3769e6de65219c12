import { sql } from "kysely";
import type { Db } from "#foundation/db";
import type { CanaryId } from "../canary.ts";

export type SideName = "canary" | "outside" | "before" | "history";
export type MeasureName = "outcome" | "duration" | "added" | "updated" | "deleted";

/** Of `outcome` the bucket is 0 for success, 1 for failure, and 2 for a success that changed no record. */
export interface CanaryCount {
  readonly canaryId: CanaryId;
  readonly functionId: number;
  readonly side: SideName;
  readonly measure: MeasureName;
  readonly bucket: number;
  readonly count: number;
  readonly total: number;
}

/** Adds to what is counted; counts of canaries that are gone are dropped. */
export async function addCanaryCounts(db: Db, counts: readonly CanaryCount[]): Promise<void> {
  if (counts.length === 0) return;
  // In one order everywhere, so that two processes never wait for each other.
  await sql`
    insert into canary_counts as n (canary_id, function_id, side, measure, bucket, count, total)
    select c.* from json_to_recordset(${JSON.stringify(counts)}::json) as c
      ("canaryId" uuid, "functionId" bigint, side text, measure text, bucket smallint, count bigint, total bigint)
      join canaries on canaries.id = c."canaryId"
     order by c."canaryId", c."functionId", c.side, c.measure, c.bucket
    on conflict (canary_id, function_id, side, measure, bucket) do update
       set count = n.count + excluded.count, total = n.total + excluded.total`.execute(db);
}

export async function listCanaryCounts(db: Db, ids: readonly CanaryId[]): Promise<CanaryCount[]> {
  const { rows } = await sql<CanaryCount>`
    select canary_id as "canaryId", function_id::int as "functionId", side, measure, bucket::int as bucket,
           count::float8 as count, total::float8 as total
      from canary_counts where canary_id = any(${ids}::uuid[])`.execute(db.withoutPlugins());
  return rows;
}

/** Runs of the new version, by canary. */
export async function countCanaryRuns(
  db: Db,
  ids: readonly CanaryId[],
): Promise<ReadonlyMap<CanaryId, number>> {
  const { rows } = await sql<{ canaryId: CanaryId; runs: number }>`
    select canary_id as "canaryId", sum(count)::int as runs from canary_counts
     where canary_id = any(${ids}::uuid[]) and side = 'canary' and measure = 'outcome' and bucket < 2
     group by canary_id`.execute(db.withoutPlugins());
  return new Map(rows.map(({ canaryId, runs }) => [canaryId, runs]));
}
