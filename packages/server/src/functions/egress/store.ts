import { sql } from "kysely";
import type { ConnectionUuid, EnvironmentId } from "#foundation";
import type { Db } from "#foundation/db";

export interface EgressCount {
  readonly environmentId: EnvironmentId;
  readonly functionId: number;
  /** UTC, as `2026-01-31`. */
  readonly day: string;
  readonly connection: ConnectionUuid;
  /** Empty for all hosts without a row of their own. */
  readonly host: string;
  readonly calls: number;
  readonly refused: number;
  readonly sent: number;
  readonly received: number;
}

/** Hosts of a function, connection and day that have a row; two processes at once may make some more. */
const MOST_HOSTS = 20;

/** Adds to what the days have; those of environments that are gone are dropped. */
export async function addEgress(db: Db, counts: readonly EgressCount[]): Promise<void> {
  // In one order everywhere, so that two processes never wait for each other.
  await sql`
    with counted as (
      select c.* from json_to_recordset(${JSON.stringify(counts)}::json) as c
        ("environmentId" uuid, "functionId" bigint, day date, connection uuid, host text, calls bigint,
         refused bigint, sent bigint, received bigint)
        join environments e on e.id = c."environmentId"
    ), known as (
      select c.*, f.host is not null as has_row,
             (select count(*) from function_egress k
               where k.environment_id = c."environmentId" and k.function_id = c."functionId" and k.day = c.day
                 and k.connection_uuid = c.connection) as rows
        from counted c
        left join function_egress f
          on f.environment_id = c."environmentId" and f.function_id = c."functionId" and f.day = c.day
         and f.connection_uuid = c.connection and f.host = c.host
    ), placed as (
      select k.*, case
               when k.has_row
                 or k.rows + row_number() over (
                      partition by k."environmentId", k."functionId", k.day, k.connection, k.has_row
                      order by k.sent desc, k.host) <= ${MOST_HOSTS}::int
               then k.host else '' end as place
        from known k
    )
    insert into function_egress as f
      (environment_id, function_id, day, connection_uuid, host, calls, refused, bytes_sent, bytes_received)
    select "environmentId", "functionId", day, connection, place,
           sum(calls), sum(refused), sum(sent), sum(received)
      from placed
     group by "environmentId", "functionId", day, connection, place
     order by "environmentId", "functionId", day, connection, place
    on conflict (environment_id, function_id, day, connection_uuid, host) do update
       set calls = f.calls + excluded.calls, refused = f.refused + excluded.refused,
           bytes_sent = f.bytes_sent + excluded.bytes_sent,
           bytes_received = f.bytes_received + excluded.bytes_received`.execute(db);
}

export interface EgressSums {
  readonly calls: number;
  readonly refused: number;
  readonly bytesSent: number;
  readonly bytesReceived: number;
}

export interface EgressFilter {
  readonly functionId: number;
  readonly since: string;
  readonly connection?: ConnectionUuid | undefined;
}

// A sum that no number holds exactly is no figure that anybody reads.
const sums = sql`
  coalesce(sum(calls), 0)::float8 as calls, coalesce(sum(refused), 0)::float8 as refused,
  coalesce(sum(bytes_sent), 0)::float8 as "bytesSent", coalesce(sum(bytes_received), 0)::float8 as "bytesReceived"`;

function rowsOf(environmentId: EnvironmentId, { functionId, since, connection }: EgressFilter) {
  const ofConnection = connection === undefined ? sql`` : sql`and connection_uuid = ${connection}`;
  return sql`from function_egress
    where environment_id = ${environmentId} and function_id = ${functionId} and day >= ${since}::date ${ofConnection}`;
}

export async function sumEgress(
  db: Db,
  environmentId: EnvironmentId,
  filter: EgressFilter,
): Promise<EgressSums> {
  const { rows } = await sql<EgressSums>`
    select ${sums} ${rowsOf(environmentId, filter)}`.execute(db);
  const [all] = rows;
  return all ?? { calls: 0, refused: 0, bytesSent: 0, bytesReceived: 0 };
}

/** By host, most bytes first; the one for all others has an empty name. */
export async function listEgressByHost(
  db: Db,
  environmentId: EnvironmentId,
  filter: EgressFilter & { readonly limit: number },
): Promise<(EgressSums & { readonly host: string })[]> {
  const { rows } = await sql<EgressSums & { host: string }>`
    select host, ${sums} ${rowsOf(environmentId, filter)}
     group by host order by sum(bytes_sent) desc, sum(refused) desc, host limit ${filter.limit}`.execute(
    db,
  );
  return rows;
}

export async function listEgressByConnection(
  db: Db,
  environmentId: EnvironmentId,
  filter: EgressFilter & { readonly limit: number },
): Promise<(EgressSums & { readonly uuid: ConnectionUuid })[]> {
  const { rows } = await sql<EgressSums & { uuid: ConnectionUuid }>`
    select connection_uuid as uuid, ${sums} ${rowsOf(environmentId, filter)}
     group by connection_uuid order by sum(bytes_sent) desc, connection_uuid limit ${filter.limit}`.execute(
    db,
  );
  return rows;
}

export async function deleteEgressBefore(db: Db, before: Date): Promise<void> {
  await sql`delete from function_egress where day < ${before}::date`.execute(db);
}

export async function deleteEgressOf(
  db: Db,
  environmentId: EnvironmentId,
  connections: readonly ConnectionUuid[],
): Promise<void> {
  await sql`
    delete from function_egress
     where environment_id = ${environmentId} and connection_uuid = any(${connections}::uuid[])`.execute(
    db,
  );
}
