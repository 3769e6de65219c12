import { sql } from "kysely";
import type { EnvironmentId } from "#foundation";
import { type Db, hotStatement, runHot } from "#foundation/db";
import { DURATION_COUNTS, withoutEmptyEnd } from "./durations.ts";

/** A row of the tables of counts. */
export interface TallyRow {
  readonly environment_id: EnvironmentId;
  /** When the minute or hour begins, as ISO 8601. */
  readonly at: string;
  readonly type: string;
  readonly action: string;
  /** Empty without one. */
  readonly integration: string;
  readonly function: string;
  success: number;
  failed: number;
  timeout: number;
  cancelled: number;
  duration_ms: number;
  durations: number[];
}

type CountTable = "operation_minutes" | "operation_hours";

/** Rows name their environment themselves; those of one that is gone are left out. */
const addTo = (table: CountTable, rows: string) =>
  `insert into ${table}
     select added.* from ${rows} added
       join environments on environments.id = added.environment_id
     on conflict (environment_id, at, type, action, integration, function) do update
        set success = ${table}.success + excluded.success,
            failed = ${table}.failed + excluded.failed,
            timeout = ${table}.timeout + excluded.timeout,
            cancelled = ${table}.cancelled + excluded.cancelled,
            duration_ms = ${table}.duration_ms + excluded.duration_ms,
            durations = add_counts(${table}.durations, excluded.durations)`;

const rowsOf = (table: CountTable, place: number) =>
  `jsonb_populate_recordset(null::${table}, $${place}::jsonb)`;

const addRows = (table: CountTable) => hotStatement(`add_${table}`, addTo(table, rowsOf(table, 1)));
const addMinuteRows = addRows("operation_minutes");
const addHourRows = addRows("operation_hours");

export async function addMinutes(db: Db, rows: readonly TallyRow[]): Promise<void> {
  await runHot(db, addMinuteRows([toJson(rows)]));
}

export async function addHours(db: Db, rows: readonly TallyRow[]): Promise<void> {
  await runHot(db, addHourRows([toJson(rows)]));
}

function toJson(rows: readonly TallyRow[]): string {
  return JSON.stringify(rows.map((row) => ({ ...row, durations: withoutEmptyEnd(row.durations) })));
}

// Hours wait for the count of minutes, so that all processes lock minutes first.
const addBoth = hotStatement(
  "add_operation_counts",
  `with noted as (
     insert into written_batches (id) values ($1) on conflict do nothing returning id
   ), minutes as (
     ${addTo("operation_minutes", `noted cross join ${rowsOf("operation_minutes", 2)}`)}
     returning 1
   ), locked as materialized (
     select noted.id from noted where (select count(*) from minutes) >= 0
   )
   ${addTo("operation_hours", `locked cross join ${rowsOf("operation_hours", 3)}`)}`,
);

/** Both, and the note that the batch is written, in one statement: nothing where it has been written before. */
export async function addMinutesAndHours(
  db: Db,
  batch: {
    readonly batchId: string;
    readonly minutes: readonly TallyRow[];
    readonly hours: readonly TallyRow[];
  },
): Promise<void> {
  const texts = [batch.minutes, batch.hours].map(toJson);
  await runHot(db, addBoth([batch.batchId, ...texts]));
}

export interface CountQuery {
  readonly from: Date;
  /** Up to but not including. */
  readonly to: Date;
  /** The unit whose rows are read. */
  readonly unit: "minute" | "hour";
  readonly by?: "type" | "integration" | "function" | undefined;
  /** `type` or `type:action`. */
  readonly types?: readonly string[] | undefined;
  readonly integrations?: readonly string[] | undefined;
  readonly functions?: readonly string[] | undefined;
}

export interface Counts {
  /** Empty for those without one; undefined for all that are not among the most frequent. */
  readonly name: string | undefined;
  readonly at: Date;
  readonly success: number;
  readonly failed: number;
  readonly timeout: number;
  readonly cancelled: number;
  readonly durationMs: number;
  /** Of none where they were not asked for; null where no row has that count. */
  readonly durations: readonly (number | null)[];
}

const SUMMED = ["success", "failed", "timeout", "cancelled", "duration_ms"];
const PLACES: readonly number[] = Array.from({ length: DURATION_COUNTS }, (_, place) => place + 1);

/** The parts of the query, with or without the many columns that only percentiles need. */
function newParts(places: readonly number[]) {
  const summed = [...SUMMED, ...places.map((place) => `d${place}`)];
  return {
    sums: sql.raw(summed.map((name) => `sum(${name})::float8 as ${name}`).join(", ")),
    columns: sql.raw(places.map((place) => `, durations[${place}] as d${place}`).join("")),
    array: sql.raw(`array[${places.map((place) => `d${place}`).join(", ")}]::float8[]`),
  };
}

const withDurations = newParts(PLACES);
const withoutDurations = newParts([]);

/** Counts of each step and of each of the most frequent names, the rest as one; a step without any has no row. */
export async function readCounts(
  db: Db,
  environmentId: EnvironmentId,
  query: CountQuery & {
    readonly stepMs: number;
    readonly mostNames: number;
    readonly hasDurations: boolean;
  },
): Promise<Counts[]> {
  const { from, to, by, stepMs, mostNames } = query;
  const table = sql.table(`operation_${query.unit}s`);
  const step = sql.lit(stepMs / 1000);
  const { sums, columns, array } = query.hasDurations ? withDurations : withoutDurations;
  const parts = [
    sql`environment_id = ${environmentId} and at >= ${from} and at < ${to}`,
    query.types && sql`(type = any(${query.types}) or type || ':' || action = any(${query.types}))`,
    query.integrations && sql`integration = any(${query.integrations})`,
    query.functions && sql`function = any(${query.functions})`,
  ].filter((part) => part !== undefined);
  const { rows } = await sql<Counts>`
    with counted as materialized (
      select to_timestamp(floor(extract(epoch from at) / ${step}) * ${step}) as step,
             ${by === undefined ? sql`''` : sql.ref(by)} as name, ${sums}
        from (select *${columns} from ${table} where ${sql.join(parts, sql` and `)}) kinds
       group by 1, 2
    ), frequent as (
      select name from counted group by name
       order by sum(success + failed + timeout + cancelled) desc, name limit ${mostNames}
    ), named as (
      select counted.*, frequent.name as kept from counted left join frequent using (name)
    ), summed as (
      select kept, step, ${sums} from named group by kept, step
    )
    select kept as name, step as at, success, failed, timeout, cancelled,
           duration_ms as "durationMs", ${array} as durations
      from summed order by step`.execute(db.withoutPlugins());
  return rows.map((row) => ({ ...row, name: row.name ?? undefined }));
}
