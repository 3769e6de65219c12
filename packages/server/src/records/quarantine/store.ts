import { sql } from "kysely";
import { type Db, runHot } from "#foundation/db";
import { type ModelId, plannedStatement, removeQuarantines } from "../store.ts";

/** What does not fit, and where. */
export interface QuarantineReason {
  readonly pointer: string;
  readonly code: string;
  readonly expected: string;
  readonly received: string;
}

export interface ReasonRow extends QuarantineReason {
  readonly model: ModelId;
  /** Number within the model; 0 sums up what is beyond those that are listed. */
  readonly reason: number;
  readonly count: number;
  readonly firstAt: Date;
  readonly lastAt: Date;
}

/** The most quarantined records first. */
export async function listReasons(db: Db, models: readonly ModelId[]): Promise<ReasonRow[]> {
  const { rows } = await sql<ReasonRow>`
    select model_id as model, reason, pointer, code, expected, received, count, first_at, last_at
      from record_quarantine_reasons where model_id = any(${[...models]}::bigint[])
     order by model_id desc, count desc, reason`.execute(db);
  return rows;
}

const knownRecords = plannedStatement(
  "select record_id as id, reason from quarantined_records where model_id = $1 and record_id = any($2)",
);

/** Which of these records are quarantined, each with the number of its reason. */
export async function findQuarantined(
  db: Db,
  model: ModelId,
  ids: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await runHot<{ id: string; reason: number }>(db, knownRecords([model, ids]));
  return new Map(rows.map(({ id, reason }) => [id, reason]));
}

const putRecords = plannedStatement(
  `insert into quarantined_records (model_id, record_id, reason)
   select $1, u.id, u.reason from unnest($2::text[], $3::smallint[]) as u (id, reason)
   on conflict (model_id, record_id) do update set reason = excluded.reason`,
);

export async function putQuarantined(
  db: Db,
  model: ModelId,
  reasons: ReadonlyMap<string, number>,
): Promise<void> {
  await runHot(db, putRecords([model, [...reasons.keys()], [...reasons.values()]]));
}

/** By how much the count of a reason changes; its words where it is new. */
export interface ReasonChange extends QuarantineReason {
  readonly reason: number;
  readonly change: number;
}

/** The reasons were seen now, also where no record is new to them. */
export async function changeReasons(
  db: Db,
  model: ModelId,
  changes: readonly ReasonChange[],
  now: Date,
): Promise<void> {
  const column = <Value>(of: (change: ReasonChange) => Value) => changes.map(of);
  await sql`
    insert into record_quarantine_reasons as known
      (model_id, reason, pointer, code, expected, received, count, first_at, last_at)
    select ${model}, u.reason, u.pointer, u.code, u.expected, u.received, u.change, ${now}, ${now}
      from unnest(${column(({ reason }) => reason)}::smallint[], ${column(({ pointer }) => pointer)}::text[],
                  ${column(({ code }) => code)}::text[], ${column(({ expected }) => expected)}::text[],
                  ${column(({ received }) => received)}::text[], ${column(({ change }) => change)}::bigint[])
           as u (reason, pointer, code, expected, received, change)
    on conflict (model_id, reason) do update
       set count = known.count + excluded.count, last_at = greatest(known.last_at, excluded.last_at)`.execute(
    db,
  );
}

/** How many records were released, by the number of their reason. */
export type Released = ReadonlyMap<number, number>;

interface ReleasedRow {
  readonly reason: number;
  readonly count: number;
}

const releaseIds = plannedStatement(
  `with gone as (
     delete from quarantined_records where model_id = $1 and record_id = any($2) returning reason)
   select reason, count(*)::int as count from gone group by reason`,
);

export async function deleteQuarantined(
  db: Db,
  model: ModelId,
  ids: readonly string[],
): Promise<Released> {
  return toReleased(await runHot<ReleasedRow>(db, releaseIds([model, ids])));
}

const releaseUnseen = plannedStatement(
  `with seen as materialized (
     select distinct seen_id from record_sightings s, unnest(s.ids) as seen_id
      where s.model_id = $1 and s.batch > $2),
   gone as (
     delete from quarantined_records q
      where q.model_id = $1 and not exists (select from seen where seen.seen_id = q.record_id)
     returning q.reason)
   select reason, count(*)::int as count from gone group by reason`,
);

/** Those that no batch after the given one has named. */
export async function deleteUnseenQuarantined(
  db: Db,
  model: ModelId,
  afterBatch: number,
): Promise<Released> {
  return toReleased(await runHot<ReleasedRow>(db, releaseUnseen([model, afterBatch])));
}

const releaseReasons = plannedStatement(
  `with gone as (
     delete from quarantined_records where model_id = $1 and reason = any($2::smallint[]) returning reason)
   select reason, count(*)::int as count from gone group by reason`,
);

export async function deleteOfReasons(
  db: Db,
  model: ModelId,
  reasons: readonly number[],
): Promise<Released> {
  return toReleased(await runHot<ReleasedRow>(db, releaseReasons([model, reasons])));
}

function toReleased(rows: readonly ReleasedRow[]): Released {
  return new Map(rows.map(({ reason, count }) => [reason, count]));
}

/** Takes off what was released, and forgets reasons and samples that no record has any more. */
export async function settleReleased(db: Db, model: ModelId, released: Released): Promise<void> {
  await sql`
    update record_quarantine_reasons known set count = known.count - gone.count
      from unnest(${[...released.keys()]}::smallint[], ${[...released.values()]}::bigint[]) as gone (reason, count)
     where known.model_id = ${model} and known.reason = gone.reason`.execute(db);
  await forgetEmpty(db, model);
}

/** Reasons without a record, and samples of records that are not quarantined, or for another reason. */
export async function forgetEmpty(db: Db, model: ModelId): Promise<void> {
  await sql`
    delete from record_quarantine_reasons where model_id = ${model} and count <= 0`.execute(db);
  await sql`
    delete from record_quarantine_samples s
     where s.model_id = ${model} and not exists (
       select from quarantined_records q
        where q.model_id = ${model} and q.record_id = s.record_id and q.reason = s.reason)`.execute(
    db,
  );
}

/** Counts records in, or out where `change` is negative. */
export async function countQuarantined(
  db: Db,
  model: ModelId,
  { change, now }: { change: number; now: Date },
): Promise<void> {
  await sql`
    update record_models
       set quarantined = greatest(0, quarantined + ${change}::bigint),
           quarantined_since = case when quarantined + ${change}::bigint > 0
                                    then coalesce(quarantined_since, ${now}::timestamptz) end
     where id = ${model}`.execute(db);
}

/** All of a model. */
export async function clearQuarantine(db: Db, model: ModelId): Promise<void> {
  await removeQuarantines(db, [model]);
  await sql`
    update record_models set quarantined = 0, quarantined_since = null
     where id = ${model} and quarantined > 0`.execute(db);
}

export interface SampleRow {
  readonly id: string;
  readonly reason: number;
  readonly notedAt: Date;
  readonly payload: Buffer;
}

/** The oldest first. */
export async function listSamples(
  db: Db,
  model: ModelId,
  { reason, limit }: { reason: number | undefined; limit: number },
): Promise<SampleRow[]> {
  const { rows } = await sql<SampleRow>`
    select record_id as id, reason, noted_at, payload from record_quarantine_samples
     where model_id = ${model} and (${reason ?? null}::smallint is null or reason = ${reason ?? null})
     order by noted_at, record_id limit ${limit}`.execute(db);
  return rows;
}

/** How many samples each reason has. */
export async function countSamples(db: Db, model: ModelId): Promise<ReadonlyMap<number, number>> {
  const { rows } = await sql<ReleasedRow>`
    select reason, count(*)::int as count from record_quarantine_samples
     where model_id = ${model} group by reason`.execute(db);
  return toReleased(rows);
}

export async function putSamples(
  db: Db,
  model: ModelId,
  samples: readonly Pick<SampleRow, "id" | "reason" | "payload">[],
  now: Date,
): Promise<void> {
  const ids = samples.map(({ id }) => id);
  const reasons = samples.map(({ reason }) => reason);
  const sizes = samples.map(({ payload }) => payload.byteLength);
  let next = 1;
  const starts = sizes.map((size) => {
    const start = next;
    next += size;
    return start;
  });
  // Joined, for a list of bytea would travel as hexadecimal text.
  const payloads = Buffer.concat(samples.map(({ payload }) => payload));
  await sql`
    insert into record_quarantine_samples (model_id, reason, noted_at, record_id, payload)
    select ${model}, u.reason, ${now}, u.id, substring(${payloads}::bytea from u.start for u.size)
      from unnest(${ids}::text[], ${reasons}::smallint[], ${starts}::int[], ${sizes}::int[])
           as u (id, reason, start, size)
    on conflict (model_id, record_id) do nothing`.execute(db);
}

/** Samples that were noted before a time; of all environments. */
export async function expireSamples(db: Db, before: Date): Promise<void> {
  await sql`delete from record_quarantine_samples where noted_at < ${before}`.execute(db);
}

/** Reasons that no run has met since a time; of all environments. */
export async function listOldReasons(
  db: Db,
  before: Date,
): Promise<{ model: ModelId; reasons: number[] }[]> {
  const { rows } = await sql<{ model: ModelId; reasons: number[] }>`
    select model_id as model, array_agg(reason)::int[] as reasons from record_quarantine_reasons
     where last_at < ${before} group by model_id limit 1000`.execute(db);
  return rows;
}
