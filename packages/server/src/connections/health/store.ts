import { type RawBuilder, sql } from "kysely";
import type { ConnectionUuid, EnvironmentId, OperationId } from "#platform";
import type { Db } from "#platform/db";
import type { RefreshProblem } from "../connection.ts";
import type { ConnectionState } from "./connection-state.ts";

/** Of connections `c`; each begins as the condition of its index does. */
const isReauthorized = sql`c.needs_reauthorization_at is null`;
const isLeased = sql`c.refresh_lease_until is not null and c.refresh_lease_until >= clock_timestamp()`;
const isFree = sql`(c.refresh_lease_until >= clock_timestamp()) is not true`;

const conditions: Readonly<Record<ConnectionState, RawBuilder<boolean>>> = {
  needs_reauthorization: sql`c.needs_reauthorization_at is not null`,
  refreshing: sql`${isReauthorized} and ${isLeased}`,
  backoff: sql`${isReauthorized} and c.refresh_not_before is not null and ${isFree}`,
  pending: sql`${isReauthorized} and c.refresh_not_before is null and c.is_pending and ${isFree}`,
  ok: sql`${isReauthorized} and c.refresh_not_before is null and not c.is_pending and ${isFree}`,
};

/** Whether connections `c` are in the state; an index has them in the order of their creation. */
export function isInState(state: ConnectionState): RawBuilder<boolean> {
  return conditions[state];
}

const state = sql<ConnectionState>`case
  when ${conditions.needs_reauthorization} then 'needs_reauthorization'
  when ${conditions.refreshing} then 'refreshing'
  when ${conditions.backoff} then 'backoff'
  when ${conditions.pending} then 'pending'
  else 'ok' end`;

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
  /** Null for all states together. */
  readonly state: ConnectionState | null;
  readonly count: number;
}

/**
 * Connections by integration: all of them, and those in any state but `ok`, which are fewer. Each part is read from
 * its index alone.
 */
export async function countStates(
  db: Db,
  environmentId: EnvironmentId,
  integrationIds: readonly number[] | undefined,
): Promise<CountedState[]> {
  const ofIntegrations =
    integrationIds === undefined ? sql`true` : sql`c.integration_id = any(${integrationIds})`;
  const counted = sql`from connections c
     where c.environment_id = ${environmentId} and c.deleted_at is null and ${ofIntegrations}`;
  const partOf = (name: Exclude<ConnectionState, "ok">) => sql`
    select c.integration_id, ${name}::text as state, count(*)::int as count ${counted}
       and ${conditions[name]} group by c.integration_id`;
  const { rows } = await sql<CountedState>`
    select c.integration_id, null::text as state, count(*)::int as count ${counted} group by c.integration_id
    union all ${partOf("needs_reauthorization")}
    union all ${partOf("refreshing")}
    union all ${partOf("backoff")}
    union all ${partOf("pending")}`.execute(db);
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
        select c.integration_id, count(*) as count from connections c
         where c.environment_id = ${environmentId} and c.deleted_at is null
         group by c.integration_id) c on c.integration_id = i.id
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
