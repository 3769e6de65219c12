import { sql } from "kysely";
import type { ConnectionUuid, EnvironmentId } from "#foundation";
import type { Db } from "#foundation/db";

/** Which connections a revocation is about: those for which all that is named holds. */
export interface ConnectionMatch {
  readonly integrationId?: number | undefined;
  readonly connectionId?: string | undefined;
  readonly tags?: Readonly<Record<string, string>> | undefined;
  readonly endUserId?: string | undefined;
  /** Made or refreshed from here on. */
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
  /** Whose credentials this key has read. */
  readonly keyId?: string | undefined;
}

export interface MatchedConnection {
  readonly id: number;
  readonly uuid: ConnectionUuid;
  readonly connectionId: string;
  readonly integrationId: number;
  readonly integrationKey: string;
  readonly provider: string;
  readonly createdAt: Date;
}

export interface MatchPage {
  readonly match: ConnectionMatch;
  readonly accountId: string;
  /** Connections that were made later are not meant. */
  readonly until: Date;
  readonly after: { readonly createdAt: Date; readonly id: number } | undefined;
  readonly limit: number;
}

/** In the order in which they were made. Joins the tables of #integrations and #audit for what a revocation reports. */
export async function listMatching(
  db: Db,
  environmentId: EnvironmentId,
  { match, accountId, until, after, limit }: MatchPage,
): Promise<MatchedConnection[]> {
  const wanted = [
    sql`c.environment_id = ${environmentId}`,
    sql`c.deleted_at is null`,
    sql`c.created_at <= ${until}`,
    ...conditionsOf(match, accountId),
  ];
  if (after !== undefined) {
    wanted.push(sql`(c.created_at, c.id) > (${after.createdAt}::timestamptz, ${after.id}::bigint)`);
  }
  const { rows } = await sql<MatchedConnection>`
    select c.id, c.uuid, c.connection_id, c.integration_id, i.unique_key as integration_key, i.provider, c.created_at
      from connections c join integrations i on i.id = c.integration_id
     where ${sql.join(wanted, sql` and `)}
     order by c.created_at, c.id limit ${limit}`.execute(db);
  return rows;
}

function conditionsOf(match: ConnectionMatch, accountId: string) {
  const { integrationId, connectionId, tags, endUserId, from, to, keyId } = match;
  const wanted = [];
  if (integrationId !== undefined) wanted.push(sql`c.integration_id = ${integrationId}`);
  if (connectionId !== undefined) wanted.push(sql`c.connection_id = ${connectionId}`);
  const all = { ...tags, ...(endUserId === undefined ? {} : { end_user_id: endUserId }) };
  if (Object.keys(all).length > 0) wanted.push(sql`c.tags @> ${JSON.stringify(all)}::jsonb`);
  if (from !== undefined || to !== undefined) {
    const isWithin = (column: string) => {
      const time = sql.raw(`c.${column}`);
      const begin = from === undefined ? sql`true` : sql`${time} >= ${from}`;
      const end = to === undefined ? sql`true` : sql`${time} < ${to}`;
      return sql`(${begin} and ${end})`;
    };
    wanted.push(sql`(${isWithin("created_at")} or ${isWithin("credentials_issued_at")})`);
  }
  if (keyId !== undefined) {
    wanted.push(sql`(
      exists (select from connection_uses u
               where u.connection_uuid = c.uuid and u.kind = 'key' and u.name = ${keyId} and u.way = 'read')
      or exists (select from credential_reads r
                  where r.account_id = ${accountId} and r.connection_uuid = c.uuid and r.key_id = ${keyId}::uuid))`);
  }
  return wanted;
}

export interface FrozenRow {
  readonly uuid: ConnectionUuid;
  /** As it was. */
  readonly nextRefreshAt: Date | null;
}

/** Frozen from the moment of the commit on; those that an earlier revocation has frozen become this one's. */
export async function freezeRows(
  db: Db,
  environmentId: EnvironmentId,
  { uuids, by, now }: { uuids: readonly ConnectionUuid[]; by: string; now: Date },
): Promise<FrozenRow[]> {
  // Locked in one order, so that two revocations never wait for each other.
  const { rows } = await sql<FrozenRow>`
    with before as (
      select uuid, next_refresh_at from connections
       where environment_id = ${environmentId} and uuid = any(${uuids}::uuid[]) and deleted_at is null
       order by uuid for update)
    update connections c
       set frozen_by = ${by}, frozen_at = coalesce(c.frozen_at, ${now}), next_refresh_at = null
      from before where c.uuid = before.uuid
    returning c.uuid, before.next_refresh_at`.execute(db);
  return rows;
}

/** Those that this revocation has frozen, and no other has taken over. */
export async function unfreezeRows(
  db: Db,
  environmentId: EnvironmentId,
  { frozen, by }: { frozen: readonly FrozenRow[]; by: string },
): Promise<ConnectionUuid[]> {
  const { rows } = await sql<{ uuid: ConnectionUuid }>`
    update connections c
       set frozen_by = null, frozen_at = null, next_refresh_at = coalesce(c.next_refresh_at, f.next)
      from unnest(${frozen.map(({ uuid }) => uuid)}::uuid[],
                  ${frozen.map(({ nextRefreshAt }) => nextRefreshAt)}::timestamptz[]) as f (uuid, next)
     where c.environment_id = ${environmentId} and c.uuid = f.uuid and c.frozen_by = ${by}
       and c.deleted_at is null
    returning c.uuid`.execute(db);
  return rows.map(({ uuid }) => uuid);
}
