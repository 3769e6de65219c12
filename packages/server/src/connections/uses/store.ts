import { sql } from "kysely";
import type { ConnectionUuid, EnvironmentId, KeysetPosition } from "#foundation";
import type { Db } from "#foundation/db";

export interface UseCount {
  readonly environmentId: EnvironmentId;
  readonly connectionUuid: string;
  /** Days of UTC since 1970. */
  readonly day: number;
  readonly kind: "key" | "function" | "agent" | "user";
  /** Id of the key, the user or the agent's session; the function's name. */
  readonly name: string;
  readonly way: "read" | "call" | "reveal";
  readonly firstMs: number;
  lastMs: number;
  uses: number;
}

/** Adds to what the days have. */
export async function addUses(db: Db, counts: readonly UseCount[]): Promise<void> {
  // In one order everywhere, so that two processes never wait for each other. An environment may be gone by now.
  const { rows } = await sql<FirstUse & { readonly isFirst: boolean }>`
    insert into connection_uses as u
      (environment_id, connection_uuid, day, kind, name, way, uses, first_at, last_at)
    select c."environmentId", c."connectionUuid", date '1970-01-01' + c.day, c.kind, c.name, c.way, c.uses,
           to_timestamp(c."firstMs" / 1000.0), to_timestamp(c."lastMs" / 1000.0)
      from json_to_recordset(${JSON.stringify(counts)}::json) as c
      ("environmentId" uuid, "connectionUuid" uuid, day integer, kind text, name text, way text, uses bigint,
       "firstMs" bigint, "lastMs" bigint)
      join environments e on e.id = c."environmentId"
     order by 2, 3, 4, 5, 6
    on conflict (connection_uuid, day, kind, name, way) do update
      set uses = u.uses + excluded.uses, first_at = least(u.first_at, excluded.first_at),
          last_at = greatest(u.last_at, excluded.last_at)
    returning connection_uuid, day::text as day, xmax = 0 as is_first`.execute(db);
  await markUsed(
    db,
    rows.filter(({ isFirst }) => isFirst),
  );
}

interface FirstUse {
  readonly connectionUuid: ConnectionUuid;
  /** `YYYY-MM-DD` in UTC. */
  readonly day: string;
}

/** Notes the first use of a day on the connection itself, by whose day lists find those that nobody uses. */
async function markUsed(db: Db, used: readonly FirstUse[]): Promise<void> {
  if (used.length === 0) return;
  await sql`
    with used as materialized (
      select uuid, max(day) as day
        from unnest(${used.map((use) => use.connectionUuid)}::uuid[], ${used.map(({ day }) => day)}::date[])
             as k (uuid, day) group by uuid),
    wanted as materialized (
      select c.uuid, u.day from used u join connections c on c.uuid = u.uuid
       where c.last_used_on < u.day and c.deleted_at is null order by c.uuid for no key update of c)
    update connections c set last_used_on = w.day from wanted w where c.uuid = w.uuid`.execute(db);
}

export interface UseRow {
  readonly id: string;
  readonly kind: UseCount["kind"];
  readonly name: string;
  readonly way: UseCount["way"];
  /** As a key is called now. */
  readonly keyName: string | null;
  readonly uses: number;
  readonly firstAt: Date;
  readonly lastAt: Date;
}

/** Each who has used a connection, over all days; the latest first. */
export async function listUseRows(
  db: Db,
  environmentId: EnvironmentId,
  options: {
    readonly connectionUuid: ConnectionUuid;
    readonly after: KeysetPosition | undefined;
    readonly limit: number;
  },
): Promise<UseRow[]> {
  const { connectionUuid, after, limit } = options;
  const start =
    after === undefined
      ? sql`true`
      : sql`(u.last_at, u.id) < (${after.createdAt}::timestamptz, ${after.id}::uuid)`;
  const { rows } = await sql<UseRow>`
    select u.*, k.display_name as key_name from (
      select md5(kind || ' ' || way || ' ' || name)::uuid as id, kind, name, way, sum(uses)::bigint as uses,
             min(first_at) as first_at, max(last_at) as last_at
        from connection_uses
       where connection_uuid = ${connectionUuid} and environment_id = ${environmentId}
       group by kind, name, way) u
      left join api_keys k on u.kind = 'key' and k.id::text = u.name
     where ${start}
     order by u.last_at desc, u.id desc limit ${limit}`.execute(db);
  return rows;
}

export interface ConnectionUser {
  readonly kind: UseCount["kind"];
  readonly name: string;
  readonly connections: number;
  readonly lastAt: Date;
}

/** Who has used any of these connections, those with the most of them first. */
export async function listUsersRows(
  db: Db,
  environmentId: EnvironmentId,
  { uuids, limit }: { readonly uuids: readonly ConnectionUuid[]; readonly limit: number },
): Promise<ConnectionUser[]> {
  const { rows } = await sql<ConnectionUser>`
    select kind, name, count(distinct connection_uuid)::int as connections, max(last_at) as last_at
      from connection_uses
     where connection_uuid = any(${uuids}::uuid[]) and environment_id = ${environmentId} and name <> ''
     group by kind, name order by 3 desc, 1, 2 limit ${limit}`.execute(db);
  return rows;
}

export async function deleteUsesBefore(db: Db, day: string): Promise<void> {
  await sql`delete from connection_uses where day < ${day}::date`.execute(db);
}
