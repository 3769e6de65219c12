import { type RawBuilder, sql } from "kysely";
import type { ConnectionUuid, EnvironmentId, OperationId } from "#foundation";
import type { Db } from "#foundation/db";
import type { RefreshProblem } from "../connection.ts";
import type { ConnectionState } from "./connection-state.ts";

type StoredState = Exclude<ConnectionState, "refreshing">;

/** Of connections `c`; each begins as the condition of its index does. A refresh that runs comes on top. */
const isReauthorized = sql`c.needs_reauthorization_at is null`;
const stored: Readonly<Record<StoredState, RawBuilder<boolean>>> = {
  needs_reauthorization: sql`c.needs_reauthorization_at is not null`,
  backoff: sql`${isReauthorized} and c.refresh_not_before is not null`,
  pending: sql`${isReauthorized} and c.refresh_not_before is null and c.is_pending`,
  ok: sql`${isReauthorized} and c.refresh_not_before is null and not c.is_pending`,
};

const isLeased = sql<boolean>`c.refresh_lease_until is not null and c.refresh_lease_until >= clock_timestamp()`;

/** Ids of connections that are being refreshed, which no index of theirs has. */
export function leasedRows(environmentId: EnvironmentId): RawBuilder<unknown> {
  return sql`
    select connection_row from refresh_leases
     where environment_id = ${environmentId} and leased_until >= clock_timestamp()`;
}

/** Whether connections `c` are in the state; an index has them in the order of their creation. */
export function isInState(
  state: ConnectionState,
  environmentId: EnvironmentId,
): RawBuilder<boolean> {
  if (state === "refreshing") return sql<boolean>`${isReauthorized} and ${isLeased}`;
  if (state === "needs_reauthorization") return stored[state];
  return sql<boolean>`${stored[state]} and c.id not in (${leasedRows(environmentId)})`;
}

const storedState = sql<StoredState>`case
  when ${stored.needs_reauthorization} then 'needs_reauthorization'
  when ${stored.backoff} then 'backoff'
  when ${stored.pending} then 'pending'
  else 'ok' end`;

const state = sql<ConnectionState>`case
  when ${isReauthorized} and ${isLeased} then 'refreshing' else ${storedState} end`;

export interface HealthRow {
  readonly id: number;
  readonly uuid: ConnectionUuid;
  readonly state: ConnectionState;
  readonly expiresAt: Date | null;
  readonly issuedAt: Date | null;
  readonly notBefore: Date | null;
  readonly nextRefreshAt: Date | null;
  readonly reauthorizeBy: Date | null;
  /** `YYYY-MM-DD` in UTC. */
  readonly usedOn: string;
  readonly failures: number;
  readonly failure: RefreshProblem | null;
  readonly refusedAt: Date | null;
  readonly integrationUpdatedAt: Date | null;
  readonly sealedCredentials: Buffer;
}

/** How these connections stand now, by the database's clock. Reads when #integrations changed theirs. */
export async function listHealthRows(
  db: Db,
  environmentId: EnvironmentId,
  ids: readonly number[],
): Promise<HealthRow[]> {
  // `is true` leaves the ids alone to be found by.
  const { rows } = await sql<HealthRow>`
    select c.id, c.uuid, ${state} as state, c.credentials_expire_at as expires_at,
           c.credentials_issued_at as issued_at, c.refresh_not_before as not_before, c.next_refresh_at,
           c.reauthorize_by, c.last_used_on::text as used_on, c.refresh_failures as failures, c.refresh_error as failure, c.needs_reauthorization_at as refused_at,
           i.updated_at as integration_updated_at, c.credentials as sealed_credentials
      from connections c left join integrations i on i.id = c.integration_id
     where c.id = any(${ids}::bigint[]) and (c.environment_id = ${environmentId} and c.deleted_at is null) is true`.execute(
    db,
  );
  return rows;
}

export interface CountedState {
  readonly integrationId: number;
  readonly state: ConnectionState;
  /** Negative for what is in another state because it is refreshed. */
  readonly count: number;
}

/** Connections by integration and state, which sum up: no connection is read but those that are refreshed. */
export async function countStates(
  db: Db,
  environmentId: EnvironmentId,
  integrationIds: readonly number[] | undefined,
): Promise<CountedState[]> {
  const ofIntegrations =
    integrationIds === undefined ? sql`true` : sql`integration_id = any(${integrationIds})`;
  const { rows } = await sql<CountedState>`
    with refreshed as (
      select c.integration_id, ${storedState} as state, count(*)::int as count
        from (select * from connections
               where id = any(array(${leasedRows(environmentId)}))
                 and (environment_id = ${environmentId} and deleted_at is null) is true offset 0) c
       where ${isReauthorized} and ${isLeased} and ${ofIntegrations} group by 1, 2)
    select integration_id, state, sum(count)::int as count from connection_counts
     where environment_id = ${environmentId} and ${ofIntegrations} group by 1, 2
    union all select integration_id, 'refreshing', count from refreshed
    union all select integration_id, state, -count from refreshed`.execute(db);
  return rows;
}

export interface ProviderUse {
  readonly provider: string;
  readonly integrations: number;
  readonly connections: number;
}

/** Of each provider that has an integration. Reads the table of #integrations, for what each is one of. */
export async function countUses(db: Db, environmentId: EnvironmentId): Promise<ProviderUse[]> {
  const { rows } = await sql<ProviderUse>`
    select i.provider, count(*)::int as integrations, coalesce(sum(c.count), 0)::int as connections
      from integrations i
      left join (
        select integration_id, sum(count) as count from connection_counts
         where environment_id = ${environmentId} group by integration_id) c on c.integration_id = i.id
     where i.environment_id = ${environmentId} and i.deleted_at is null
     group by i.provider`.execute(db);
  return rows;
}

/** More than a connection has in practice: what comes on top says nothing new. */
const MOST_SYNC_ERRORS = 100;

export interface FailingSync {
  readonly connection: ConnectionUuid;
  /** Its name, `name::variant` for a variant. */
  readonly sync: string;
}

/** Shows the error of a sync on its connection, in place of the one before; false when the connection is gone. */
export async function addSyncErrorRow(
  db: Db,
  environmentId: EnvironmentId,
  { connection, sync, operationId }: FailingSync & { operationId: OperationId },
): Promise<boolean> {
  const error = JSON.stringify([{ type: "sync", log_id: operationId, sync }]);
  const { rows } = await sql`
    update connections c
       set errors = others.errors
           || case when jsonb_array_length(others.errors) < ${MOST_SYNC_ERRORS} then ${error}::jsonb else '[]' end
      from connections own, lateral (
        select coalesce(jsonb_agg(entry), '[]') as errors from jsonb_array_elements(own.errors) entry
         where (entry ->> 'sync' = ${sync}) is not true) others
     where c.uuid = ${connection} and own.uuid = c.uuid
       and (c.environment_id = ${environmentId} and c.deleted_at is null) is true
    returning 1`.execute(db);
  return rows.length === 1;
}

/** Takes the errors of these syncs from their connections, which are locked in the order of their ids. */
export async function removeSyncErrors(
  db: Db,
  environmentId: EnvironmentId,
  failing: readonly FailingSync[],
): Promise<void> {
  const uuids = failing.map(({ connection }) => connection);
  const names = failing.map(({ sync }) => sync);
  await sql`
    with repaired as materialized (
      select uuid, array_agg(name) as names
        from unnest(${uuids}::uuid[], ${names}::text[]) as r (uuid, name) group by uuid),
    wanted as materialized (
      select c.uuid from connections c
       where c.uuid = any(array(select uuid from repaired)) and c.errors @> '[{"type": "sync"}]'
         and (c.environment_id = ${environmentId} and c.deleted_at is null) is true
       order by c.uuid for update)
    update connections c
       set errors = (
         select coalesce(jsonb_agg(entry), '[]') from jsonb_array_elements(c.errors) entry
          where (entry ->> 'sync' = any(r.names)) is not true)
      from repaired r
     where c.uuid = any(array(select uuid from wanted)) and r.uuid = c.uuid`.execute(db);
}
