import { sql } from "kysely";
import type { ConnectionUuid, EnvironmentId } from "#foundation";
import type { Db } from "#foundation/db";
import type { Arrival, KnownArrivals } from "./arrival.ts";
import { learnArrival } from "./learn-arrival.ts";
import { newRhythm, type Rhythm, type WatchGap } from "./rhythm.ts";

interface StoredArrivals extends Omit<KnownArrivals, "rhythm"> {
  readonly environmentId: EnvironmentId;
  readonly connection: ConnectionUuid;
  readonly rhythm: Partial<Rhythm>;
  readonly isNew: boolean;
}

const msOf = (column: string) => sql.raw(`(extract(epoch from ${column}) * 1000)::float8`);

/** Adds what came to what is known, in a transaction; nothing for connections that are gone. */
export async function addArrivals(db: Db, arrivals: readonly Arrival[]): Promise<void> {
  const environments = arrivals.map(({ environmentId }) => environmentId);
  const connections = arrivals.map(({ connection }) => connection);
  const given = sql`
    unnest(${environments}::uuid[], ${connections}::uuid[], ${arrivals.map(({ firstMs }) => firstMs)}::float8[])
    as k (environment_id, connection_uuid, first_ms)`;
  // In one order everywhere, so that two processes never wait for each other.
  await sql`
    insert into webhook_arrivals (environment_id, connection_uuid, first_at, last_at)
    select k.environment_id, k.connection_uuid, to_timestamp(k.first_ms / 1000), to_timestamp(k.first_ms / 1000)
      from ${given}
      join environments e on e.id = k.environment_id and e.deleted_at is null
      join connections c on c.uuid = k.connection_uuid and c.environment_id = e.id and c.deleted_at is null
     order by 1, 2
    on conflict do nothing`.execute(db);
  const { rows } = await sql<StoredArrivals>`
    select a.environment_id as "environmentId", a.connection_uuid as connection, a.rhythm, a.sequence,
           ${msOf("a.first_at")} as "firstMs", ${msOf("a.last_at")} as "lastMs", ${msOf("a.due_at")} as "dueMs",
           ${msOf("a.silent_since")} as "silentSinceMs", a.received = 0 as "isNew"
      from webhook_arrivals a join ${given} using (environment_id, connection_uuid)
     order by a.environment_id, a.connection_uuid for update of a`.execute(db.withoutPlugins());
  const gaps = await listWatchGaps(db);
  const byKey = new Map(arrivals.map((arrival) => [keyOf(arrival), arrival]));
  const changed = rows.flatMap((row) => {
    const arrival = byKey.get(keyOf(row));
    if (arrival === undefined) return [];
    const known = { ...row, rhythm: { ...newRhythm(), ...row.rhythm } };
    const { received, duplicates } = arrival;
    return [{ ...row, ...learnArrival(known, arrival, gaps), received, duplicates }];
  });
  await sql`
    update webhook_arrivals a
       set received = a.received + u.received, duplicates = a.duplicates + u.duplicates, rhythm = u.rhythm,
           sequence = u.sequence, last_at = to_timestamp(u."lastMs" / 1000), due_at = to_timestamp(u."dueMs" / 1000),
           silent_since = null
      from json_to_recordset(${JSON.stringify(changed)}::json)
           as u ("environmentId" uuid, connection uuid, received bigint, duplicates bigint, rhythm jsonb,
                 sequence jsonb, "lastMs" float8, "dueMs" float8)
     where a.environment_id = u."environmentId" and a.connection_uuid = u.connection`.execute(db);
}

function keyOf({ environmentId, connection }: Pick<Arrival, "environmentId" | "connection">) {
  return `${environmentId} ${connection}`;
}

export async function listWatchGaps(db: Db): Promise<WatchGap[]> {
  const { rows } = await sql<WatchGap>`
    select ${msOf("began_at")} as "beganMs", ${msOf("ended_at")} as "endedMs" from webhook_watch_gaps
     order by began_at`.execute(db.withoutPlugins());
  return rows;
}

/** Notes that the server looks now; where it did not for so long, that time is a gap. */
export async function noteWatch(
  db: Db,
  now: Date,
  { gapMs, keptSince }: { gapMs: number; keptSince: Date },
): Promise<void> {
  const { rows } = await sql<{ watchedAt: Date }>`
    select watched_at as "watchedAt" from webhook_watch for update`.execute(db.withoutPlugins());
  const before = rows[0]?.watchedAt;
  if (before !== undefined && now.getTime() - before.getTime() > gapMs) {
    await sql`
      insert into webhook_watch_gaps (began_at, ended_at) values (${before}, ${now})
      on conflict do nothing`.execute(db);
  }
  await sql`
    insert into webhook_watch (watched_at) values (${now})
    on conflict (only_row) do update set watched_at = excluded.watched_at`.execute(db);
  await sql`delete from webhook_watch_gaps where ended_at < ${keptSince}`.execute(db);
}

export interface DueSilence {
  readonly environmentId: EnvironmentId;
  readonly connection: ConnectionUuid;
  readonly rhythm: Rhythm;
  readonly firstMs: number;
  readonly lastMs: number;
  /** False where none is expected: it was deleted, or is frozen, or has to be authorized again. */
  readonly isLive: boolean;
  readonly integrationId: number | null;
}

/** Connections whose silence is beyond their rhythm by now, the longest first. */
export async function listDueSilences(db: Db, now: Date, limit: number): Promise<DueSilence[]> {
  const { rows } = await sql<DueSilence & { rhythm: Partial<Rhythm> }>`
    select a.environment_id as "environmentId", a.connection_uuid as connection, a.rhythm,
           ${msOf("a.first_at")} as "firstMs", ${msOf("a.last_at")} as "lastMs",
           c.integration_id::int as "integrationId",
           (c.deleted_at is null and c.frozen_at is null and c.needs_reauthorization_at is null) is true as "isLive"
      from webhook_arrivals a
      left join lateral (select * from connections where uuid = a.connection_uuid offset 0) c on true
     where a.due_at <= ${now} order by a.due_at limit ${limit} for update of a skip locked`.execute(
    db.withoutPlugins(),
  );
  return rows.map((row) => ({ ...row, rhythm: { ...newRhythm(), ...row.rhythm } }));
}

/** Those integrations of which webhooks wait to be handled for the first time. */
export async function listBehind(
  db: Db,
  environmentId: EnvironmentId,
  integrationIds: readonly number[],
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select i.id::int as id from unnest(${integrationIds}::bigint[]) as i (id)
     where exists (select from inbound_webhooks w
                    where w.environment_id = ${environmentId} and w.integration_id = i.id
                      and w.state = 'waiting' and w.attempts = 0)`.execute(db);
  return rows.map(({ id }) => id);
}

/** When silence is odd from now on; null where it is odd already. */
export async function storeSilences(
  db: Db,
  silences: readonly (Pick<DueSilence, "environmentId" | "connection"> & {
    readonly dueMs: number | null;
    readonly silentSinceMs: number | null;
  })[],
): Promise<void> {
  await sql`
    update webhook_arrivals a
       set due_at = to_timestamp(u."dueMs" / 1000), silent_since = to_timestamp(u."silentSinceMs" / 1000)
      from json_to_recordset(${JSON.stringify(silences)}::json)
           as u ("environmentId" uuid, connection uuid, "dueMs" float8, "silentSinceMs" float8)
     where a.environment_id = u."environmentId" and a.connection_uuid = u.connection`.execute(db);
}

interface ArrivalsFilter {
  readonly connection: ConnectionUuid | undefined;
  readonly integrationId: number | undefined;
  readonly isSilent: boolean;
  /** Number of the last row of the page before. */
  readonly before: number | undefined;
  readonly limit: number;
}

export interface ArrivalsRow extends KnownArrivals {
  readonly id: number;
  readonly received: number;
  readonly duplicates: number;
  readonly connectionId: string;
  readonly integrationKey: string;
}

/** Connections for which webhooks came, newest first. */
export async function listArrivalRows(
  db: Db,
  environmentId: EnvironmentId,
  { connection, integrationId, isSilent, before, limit }: ArrivalsFilter,
): Promise<ArrivalsRow[]> {
  const { rows } = await sql<ArrivalsRow & { rhythm: Partial<Rhythm> }>`
    select a.id::float8 as id, a.received::float8 as received, a.duplicates::float8 as duplicates, a.rhythm, a.sequence,
           ${msOf("a.first_at")} as "firstMs", ${msOf("a.last_at")} as "lastMs", ${msOf("a.due_at")} as "dueMs",
           ${msOf("a.silent_since")} as "silentSinceMs", c.connection_id as "connectionId",
           i.unique_key as "integrationKey"
      from webhook_arrivals a
      join connections c on c.uuid = a.connection_uuid and c.environment_id = a.environment_id
       and c.deleted_at is null
      join integrations i on i.id = c.integration_id
     where a.environment_id = ${environmentId}
       and ${connection === undefined ? sql`true` : sql`a.connection_uuid = ${connection}`}
       and ${integrationId === undefined ? sql`true` : sql`c.integration_id = ${integrationId}`}
       and ${isSilent ? sql`a.silent_since is not null` : sql`true`}
       and ${before === undefined ? sql`true` : sql`a.id < ${before}`}
     order by a.id desc limit ${limit}`.execute(db.withoutPlugins());
  return rows.map((row) => ({ ...row, rhythm: { ...newRhythm(), ...row.rhythm } }));
}

/** Of connections that were deleted. */
export async function deleteArrivalsOf(
  db: Db,
  environmentId: EnvironmentId,
  connections: readonly ConnectionUuid[],
): Promise<void> {
  // Locked in the order of `addArrivals`, so that the two never wait for each other.
  await sql`
    with gone as materialized (
      select connection_uuid from webhook_arrivals
       where environment_id = ${environmentId} and connection_uuid = any(${connections}::uuid[])
       order by connection_uuid for update)
    delete from webhook_arrivals a using gone
     where a.environment_id = ${environmentId} and a.connection_uuid = gone.connection_uuid`.execute(
    db,
  );
}
