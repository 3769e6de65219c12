import { sql } from "kysely";
import { addMs, type ConnectionUuid, type EnvironmentId } from "#foundation";
import type { Db } from "#foundation/db";

/** A list whose time has come. */
export interface DueList {
  readonly connectionUuid: ConnectionUuid;
  readonly environmentId: EnvironmentId;
  readonly integrationId: number;
  /** Readings in a row that have failed. */
  readonly failures: number;
}

/** What may not be claimed now. */
export interface Full {
  readonly integrations: readonly number[];
  readonly environments: readonly EnvironmentId[];
  /** Whether those that failed last have all the slots that they may have. */
  readonly failing: boolean;
}

function free({ integrations, environments, failing }: Full) {
  return sql`integration_id <> all(${integrations}::bigint[])
    and environment_id <> all(${environments}::uuid[]) and (failures = 0 or not ${failing}::boolean)`;
}

/**
 * Lists that are due, the longest first; nobody else gets them before `heldMs` have passed. A sweeper: it looks at
 * every environment.
 */
export async function claimLists(
  db: Db,
  options: {
    readonly now: Date;
    readonly limit: number;
    readonly heldMs: number;
    readonly full: Full;
  },
): Promise<DueList[]> {
  const { now, limit, heldMs, full } = options;
  const { rows } = await sql<DueList & { integrationId: string | number }>`
    with due as (
      select connection_uuid from agent_upstream_lists
       where refresh_at <= ${now} and ${free(full)}
       order by refresh_at limit ${limit} for update skip locked)
    update agent_upstream_lists set refresh_at = ${addMs(now, heldMs)}
     where connection_uuid in (select connection_uuid from due)
    returning connection_uuid, environment_id, integration_id, failures`.execute(db);
  return rows.map((row) => ({ ...row, integrationId: Number(row.integrationId) }));
}

export async function findNextDue(db: Db, full: Full): Promise<Date | undefined> {
  const { rows } = await sql<{ refreshAt: Date }>`
    select refresh_at from agent_upstream_lists where ${free(full)}
     order by refresh_at limit 1`.execute(db);
  return rows[0]?.refreshAt;
}

/** The list is due again then. */
export async function putOff(
  db: Db,
  environmentId: EnvironmentId,
  { connectionUuid, until }: { readonly connectionUuid: ConnectionUuid; readonly until: Date },
): Promise<void> {
  await sql`
    update agent_upstream_lists set refresh_at = ${until}
     where environment_id = ${environmentId} and connection_uuid = ${connectionUuid}`.execute(db);
}

/** Of a connection that is gone, or that has no such server any more. */
export async function deleteList(
  db: Db,
  environmentId: EnvironmentId,
  connectionUuid: ConnectionUuid,
): Promise<void> {
  await sql`
    delete from agent_upstream_lists
     where environment_id = ${environmentId} and connection_uuid = ${connectionUuid}`.execute(db);
}
