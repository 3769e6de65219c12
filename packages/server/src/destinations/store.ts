import { type RawBuilder, sql } from "kysely";
import { addMs, type EnvironmentId } from "#foundation";
import type { Db } from "#foundation/db";
import type { Destination, DestinationError, PauseReason, Place } from "./destination.ts";

const columns = sql.raw(
  `d.id, d.environment_id as "environmentId", d.name, d.target, d.address,
   case d.type when 's3' then d.bucket
        else jsonb_build_object('schema', d.schema_name, 'table', d.table_name)
    end || jsonb_build_object('type', d.type) as place,
   d.reached_cursor as "reachedCursor", d.planned_cursor as "plannedCursor", d.models, d.integrations, d.generation::float8 as generation,
   d.pause_reason as "pauseReason", d.created_at as "createdAt", d.updated_at as "updatedAt", d.due_at as "dueAt",
   d.epoch::float8 as epoch, d.position::float8 as position, d.idle_ms as "idleMs",
   d.contacted_at as "contactedAt", d.delivered::float8 as delivered, d.last_delivered_at as "lastDeliveredAt",
   d.failures, d.failing_since as "failingSince", d.error_code as "errorCode", d.error_message as "errorMessage",
   d.error_at as "errorAt"`,
);

/** By name. */
export async function listDestinationRows(
  db: Db,
  environmentId: EnvironmentId,
): Promise<Destination[]> {
  const { rows } = await sql<Destination>`
    select ${columns} from record_destinations d where d.environment_id = ${environmentId}
     order by d.name`.execute(db.withoutPlugins());
  return rows;
}

export async function findDestination(
  db: Db,
  environmentId: EnvironmentId,
  id: string,
): Promise<Destination | undefined> {
  const { rows } = await sql<Destination>`
    select ${columns} from record_destinations d
     where d.environment_id = ${environmentId} and d.id = ${id}`.execute(db.withoutPlugins());
  return rows[0];
}

/** What a call chooses of a destination. */
export type DestinationSettings = Pick<
  Destination,
  "name" | "place" | "target" | "address" | "models" | "integrations" | "generation" | "pauseReason"
>;

/** What is stored of a place. */
function columnsOf(place: Place): {
  schema: string | null;
  table: string | null;
  bucket: string | null;
} {
  if (place.type === "postgres") return { schema: place.schema, table: place.table, bucket: null };
  const { type: _, ...bucket } = place;
  return { schema: null, table: null, bucket: JSON.stringify(bucket) };
}

/** False when the environment has one of that name. */
export async function insertDestination(
  db: Db,
  environmentId: EnvironmentId,
  row: DestinationSettings & Pick<Destination, "id"> & { readonly now: Date },
): Promise<boolean> {
  const { schema, table, bucket } = columnsOf(row.place);
  const dueAt = row.pauseReason === null ? row.now : null;
  const result = await sql`
    insert into record_destinations
      (id, environment_id, name, type, target, address, schema_name, table_name, bucket, models, integrations,
       generation, pause_reason, created_at, updated_at, due_at)
    values (${row.id}, ${environmentId}, ${row.name}, ${row.place.type}, ${row.target}, ${row.address}, ${schema},
            ${table}, ${bucket}::jsonb, ${row.models}::text[], ${row.integrations}::text[], ${row.generation}, ${row.pauseReason},
            ${row.now}, ${row.now}, ${dueAt})
    on conflict (environment_id, name) do nothing`.execute(db);
  return result.numAffectedRows === 1n;
}

/** Serializes those who add destinations to one environment, so that their limit holds. */
export async function lockEnvironmentOf(db: Db, environmentId: EnvironmentId): Promise<void> {
  await sql`select from environments where id = ${environmentId} for no key update`.execute(db);
}

/** Due at once unless it is paused; what was known of its table is asked again. */
export async function updateDestinationRow(
  db: Db,
  environmentId: EnvironmentId,
  row: DestinationSettings & Pick<Destination, "id"> & { readonly now: Date },
): Promise<void> {
  const dueAt = row.pauseReason === null ? row.now : null;
  const { bucket } = columnsOf(row.place);
  await sql`
    update record_destinations
       set bucket = ${bucket}::jsonb,
           reached_cursor = case when generation = ${row.generation} then reached_cursor end,
           planned_cursor = case when generation = ${row.generation} then planned_cursor end,
           name = ${row.name}, target = ${row.target}, address = ${row.address}, models = ${row.models}::text[],
           integrations = ${row.integrations}::text[], generation = ${row.generation},
           pause_reason = ${row.pauseReason}, updated_at = ${row.now}, due_at = ${dueAt}, contacted_at = null,
           failures = 0, failing_since = null, error_code = null, error_message = null, error_at = null
     where environment_id = ${environmentId} and id = ${row.id}`.execute(db);
}

/** Has the table emptied and filled again; undefined when there is no such destination. */
export async function restartRow(
  db: Db,
  environmentId: EnvironmentId,
  { id, now }: { readonly id: string; readonly now: Date },
): Promise<{ readonly generation: number } | undefined> {
  const { rows } = await sql<{ generation: number }>`
    update record_destinations
       set generation = greatest(generation + 1, ${now.getTime()}), epoch = null, position = null,
           reached_cursor = null, planned_cursor = null,
           due_at = case when due_at is null then null else least(due_at, ${now}) end
     where environment_id = ${environmentId} and id = ${id}
    returning generation::float8 as generation`.execute(db);
  return rows[0];
}

export async function deleteDestinationRow(
  db: Db,
  environmentId: EnvironmentId,
  id: string,
): Promise<boolean> {
  const result = await sql`
    delete from record_destinations where environment_id = ${environmentId} and id = ${id}`.execute(
    db,
  );
  return result.numAffectedRows === 1n;
}

export async function deleteDestinationsOf(db: Db, environmentId: EnvironmentId): Promise<void> {
  await sql`delete from record_destinations where environment_id = ${environmentId}`.execute(db);
}

/** Of a copy, whose original may deliver to the same tables. */
export async function pauseDestinations(db: Db): Promise<void> {
  const reason: PauseReason = "restored_copy";
  await sql`
    update record_destinations set pause_reason = ${reason}, due_at = null
     where pause_reason is null`.execute(db);
}

/** Those that are due, who waited longest first. A sweeper: it looks at every environment. */
export async function claimDestinations(
  db: Db,
  options: {
    readonly now: Date;
    readonly limit: number;
    readonly heldMs: number;
    readonly crowded: readonly EnvironmentId[];
  },
): Promise<Destination[]> {
  const { now, limit, heldMs, crowded } = options;
  const { rows } = await sql<Destination>`
    with due as (
      select id from record_destinations
       where due_at is not null and due_at <= ${now} and environment_id <> all(${crowded}::uuid[])
       order by due_at limit ${limit} for update skip locked)
    update record_destinations d set due_at = ${addMs(now, heldMs)} from due where d.id = due.id
    returning ${columns}`.execute(db.withoutPlugins());
  return rows;
}

export async function findNextDue(
  db: Db,
  crowded: readonly EnvironmentId[],
): Promise<Date | undefined> {
  const { rows } = await sql<{ dueAt: Date | null }>`
    select due_at from record_destinations
     where due_at is not null and environment_id <> all(${crowded}::uuid[])
     order by due_at limit 1`.execute(db);
  return rows[0]?.dueAt ?? undefined;
}

/** The right to deliver to one destination, for a time. */
export interface Lease {
  readonly id: string;
  /** When it ends, by which a process knows that it still has it. */
  until: Date | null;
}

function isHeld({ id, until }: Lease): RawBuilder<unknown> {
  return sql`id = ${id} and due_at = ${until}`;
}

/** Notes what was delivered and renews the lease; false when it was lost. */
export async function noteProgress(
  db: Db,
  lease: Lease,
  progress: {
    readonly until: Date;
    readonly epoch: number;
    readonly position: number;
    readonly delivered: number;
    /** Only of a bucket; a table has it next to its rows. */
    readonly cursor: string | null;
    readonly now: Date;
  },
): Promise<boolean> {
  const { until, epoch, position, delivered, cursor, now } = progress;
  const result = await sql`
    update record_destinations
       set due_at = ${until}, epoch = ${epoch}, position = ${position}, contacted_at = ${now},
           reached_cursor = ${cursor}, planned_cursor = null, delivered = delivered + ${delivered}, idle_ms = 0,
           last_delivered_at = case when ${delivered} > 0 then ${now}::timestamptz else last_delivered_at end,
           failures = 0, failing_since = null, error_code = null, error_message = null, error_at = null
     where ${isHeld(lease)}`.execute(db);
  if (result.numAffectedRows !== 1n) return false;
  lease.until = until;
  return true;
}

/** Notes where the objects end that are written next, and renews the lease; false when it was lost. */
export async function notePlan(
  db: Db,
  lease: Lease,
  { until, cursor }: { readonly until: Date; readonly cursor: string },
): Promise<boolean> {
  const result = await sql`
    update record_destinations set due_at = ${until}, planned_cursor = ${cursor}
     where ${isHeld(lease)}`.execute(db);
  if (result.numAffectedRows !== 1n) return false;
  lease.until = until;
  return true;
}

export async function endLease(
  db: Db,
  lease: Lease,
  { dueAt, idleMs }: { readonly dueAt: Date; readonly idleMs: number },
): Promise<void> {
  await sql`
    update record_destinations set due_at = ${dueAt}, idle_ms = ${idleMs} where ${isHeld(lease)}`.execute(
    db,
  );
}

export async function failLease(
  db: Db,
  lease: Lease,
  failure: DestinationError & { readonly now: Date; readonly dueAt: Date },
): Promise<void> {
  const { code, message, now, dueAt } = failure;
  await sql`
    update record_destinations
       set due_at = ${dueAt}, failures = failures + 1, failing_since = coalesce(failing_since, ${now}),
           error_code = ${code}, error_message = ${message}, error_at = ${now}
     where ${isHeld(lease)}`.execute(db);
}
