import { sql } from "kysely";
import type { EnvironmentId } from "#foundation";
import { type Db, hotStatement, runHot } from "#foundation/db";
import type { SteppedPeriod } from "#logs";

/** A row of the tables of counts. */
export interface RecordTally {
  readonly environment_id: EnvironmentId;
  /** When the minute or hour begins, as ISO 8601. */
  readonly at: string;
  added: number;
  updated: number;
  deleted: number;
}

const addTo = (table: "record_minutes" | "record_hours") =>
  hotStatement(
    `add_${table}`,
    `insert into ${table}
     select counted.* from jsonb_populate_recordset(null::${table}, $1::jsonb) counted
       join environments on environments.id = counted.environment_id
     on conflict (environment_id, at) do update
        set added = ${table}.added + excluded.added,
            updated = ${table}.updated + excluded.updated,
            deleted = ${table}.deleted + excluded.deleted`,
  );

const addMinuteRows = addTo("record_minutes");
const addHourRows = addTo("record_hours");

/** Rows name their environment themselves; those of one that is gone are left out. */
export async function addRecordMinutes(db: Db, rows: readonly RecordTally[]): Promise<void> {
  await runHot(db, addMinuteRows([JSON.stringify(rows)]));
}

export async function addRecordHours(db: Db, rows: readonly RecordTally[]): Promise<void> {
  await runHot(db, addHourRows([JSON.stringify(rows)]));
}

export interface RecordCounts {
  readonly at: Date;
  readonly added: number;
  readonly updated: number;
  readonly deleted: number;
}

/** Counts of each step, the oldest first; a step without any has no row. */
export async function readRecordCounts(
  db: Db,
  environmentId: EnvironmentId,
  { from, to, unit, stepMs }: SteppedPeriod & { readonly stepMs: number },
): Promise<RecordCounts[]> {
  const step = sql.lit(stepMs / 1000);
  const { rows } = await sql<RecordCounts>`
    select to_timestamp(floor(extract(epoch from at) / ${step}) * ${step}) as at, sum(added)::float8 as added,
           sum(updated)::float8 as updated, sum(deleted)::float8 as deleted
      from ${sql.table(`record_${unit}s`)}
     where environment_id = ${environmentId} and at >= ${from} and at < ${to}
     group by 1 order by 1`.execute(db);
  return rows;
}
