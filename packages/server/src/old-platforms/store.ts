import { sql } from "kysely";
import type { ConnectionUuid, EnvironmentId, KeysetPosition } from "#foundation";
import type { Db } from "#foundation/db";
import type {
  MovedConnection,
  MoveState,
  OldPlatform,
  OldSide,
  RefusalCode,
} from "./old-platform.ts";

const platformColumns = sql.raw(
  `p.id, p.environment_id as "environmentId", p.name, p.url, p.secret_key as "secretKey",
   p.created_at as "createdAt", p.updated_at as "updatedAt"`,
);

/** By name. */
export async function listPlatformRows(
  db: Db,
  environmentId: EnvironmentId,
): Promise<OldPlatform[]> {
  const { rows } = await sql<OldPlatform>`
    select ${platformColumns} from old_platforms p where p.environment_id = ${environmentId}
     order by p.name`.execute(db.withoutPlugins());
  return rows;
}

export async function findPlatform(
  db: Db,
  environmentId: EnvironmentId,
  id: string,
): Promise<OldPlatform | undefined> {
  const { rows } = await sql<OldPlatform>`
    select ${platformColumns} from old_platforms p
     where p.environment_id = ${environmentId} and p.id = ${id}`.execute(db.withoutPlugins());
  return rows[0];
}

/** Serializes those who add old platforms to one environment, so that their limit holds. */
export async function lockEnvironmentOf(db: Db, environmentId: EnvironmentId): Promise<void> {
  await sql`select from environments where id = ${environmentId} for no key update`.execute(db);
}

/** False when the environment has one of that name. */
export async function insertPlatform(
  db: Db,
  environmentId: EnvironmentId,
  row: Pick<OldPlatform, "id" | "name" | "url" | "secretKey"> & { readonly now: Date },
): Promise<boolean> {
  const result = await sql`
    insert into old_platforms (id, environment_id, name, url, secret_key, created_at, updated_at)
    values (${row.id}, ${environmentId}, ${row.name}, ${row.url}, ${row.secretKey}, ${row.now}, ${row.now})
    on conflict (environment_id, name) do nothing`.execute(db);
  return result.numAffectedRows === 1n;
}

export async function updatePlatformRow(
  db: Db,
  environmentId: EnvironmentId,
  row: Pick<OldPlatform, "id" | "url" | "secretKey"> & { readonly now: Date },
): Promise<void> {
  await sql`
    update old_platforms set url = ${row.url}, secret_key = ${row.secretKey}, updated_at = ${row.now}
     where environment_id = ${environmentId} and id = ${row.id}`.execute(db);
}

/** False while connections depend on it: no import comes in between. */
export async function deletePlatformRow(
  db: Db,
  environmentId: EnvironmentId,
  id: string,
): Promise<boolean> {
  await sql`
    select from old_platforms where environment_id = ${environmentId} and id = ${id} for update`.execute(
    db,
  );
  const result = await sql`
    delete from old_platforms p
     where p.environment_id = ${environmentId} and p.id = ${id}
       and not exists (
         select from old_platform_connections m join connections c on c.uuid = m.connection_uuid
          where m.old_platform_id = p.id and c.deleted_at is null
            and m.state in ('read_through', 'handing_over', 'handing_back'))`.execute(db);
  return result.numAffectedRows === 1n;
}

export async function countStates(
  db: Db,
  environmentId: EnvironmentId,
): Promise<{ oldPlatformId: string; state: MoveState; count: number }[]> {
  const { rows } = await sql<{ oldPlatformId: string; state: MoveState; count: number }>`
    select m.old_platform_id as "oldPlatformId", m.state, count(*)::int as count
      from old_platforms p join old_platform_connections m on m.old_platform_id = p.id
     where p.environment_id = ${environmentId}
     group by 1, 2`.execute(db.withoutPlugins());
  return rows;
}

const movedColumns = sql.raw(
  `m.connection_uuid as uuid, m.old_platform_id as "oldPlatformId", c.integration_id::float8 as "integrationId",
   i.unique_key as "integrationKey", c.connection_id as "connectionId", m.state, m.old_side as "oldSide", m.taken,
   m.refusal_code as "refusalCode", m.refusal_message as "refusalMessage", m.refused_at as "refusedAt",
   m.imported_at as "importedAt", m.changed_at as "changedAt", m.handed_over_at as "handedOverAt"`,
);
const movedTables = sql.raw(
  `old_platform_connections m join connections c on c.uuid = m.connection_uuid and c.deleted_at is null
     join integrations i on i.id = c.integration_id`,
);

export async function findMoved(
  db: Db,
  environmentId: EnvironmentId,
  uuid: ConnectionUuid,
): Promise<MovedConnection | undefined> {
  const { rows } = await sql<MovedConnection>`
    select ${movedColumns} from ${movedTables}
     where m.environment_id = ${environmentId} and m.connection_uuid = ${uuid}`.execute(
    db.withoutPlugins(),
  );
  return rows[0];
}

export interface MovedFilter {
  readonly oldPlatformId: string;
  readonly integrationId: number | undefined;
  readonly states: readonly MoveState[] | undefined;
}

function fits({ oldPlatformId, integrationId, states }: MovedFilter) {
  const wanted = states ?? null;
  const integration = integrationId ?? null;
  return sql`m.old_platform_id = ${oldPlatformId}
    and (${wanted}::text[] is null or m.state = any(${wanted}::text[]))
    and (${integration}::bigint is null or c.integration_id = ${integration}::bigint)`;
}

/** In the order of their import. */
export async function listMoved(
  db: Db,
  environmentId: EnvironmentId,
  filter: MovedFilter & {
    readonly isRefused: boolean;
    readonly after: KeysetPosition | undefined;
    readonly limit: number;
  },
): Promise<MovedConnection[]> {
  const { after, limit, isRefused } = filter;
  const { rows } = await sql<MovedConnection>`
    select ${movedColumns} from ${movedTables}
     where m.environment_id = ${environmentId} and ${fits(filter)}
       and (${!isRefused} or m.refused_at is not null)
       and (${after === undefined} or (m.imported_at, m.connection_uuid) > (${after?.createdAt ?? null}::timestamptz, ${after?.id ?? null}::uuid))
     order by m.imported_at, m.connection_uuid limit ${limit}`.execute(db.withoutPlugins());
  return rows;
}

/** Those that were never refused first, then the one whose refusal is oldest; with the number of all that fit. */
export async function chooseMoved(
  db: Db,
  environmentId: EnvironmentId,
  filter: MovedFilter & { readonly limit: number },
): Promise<{ uuids: ConnectionUuid[]; fitting: number }> {
  const { rows } = await sql<{ uuid: ConnectionUuid; fitting: number }>`
    select m.connection_uuid as uuid, (count(*) over ())::int as fitting from ${movedTables}
     where m.environment_id = ${environmentId} and ${fits(filter)}
     order by m.refused_at nulls first, m.imported_at, m.connection_uuid limit ${filter.limit}`.execute(
    db.withoutPlugins(),
  );
  return { uuids: rows.map(({ uuid }) => uuid), fitting: rows[0]?.fitting ?? 0 };
}

export async function insertMoved(
  db: Db,
  environmentId: EnvironmentId,
  row: { readonly uuid: ConnectionUuid; readonly oldPlatformId: string; readonly now: Date },
): Promise<void> {
  await sql`
    insert into old_platform_connections
      (connection_uuid, environment_id, old_platform_id, state, imported_at, changed_at)
    values (${row.uuid}, ${environmentId}, ${row.oldPlatformId}, 'read_through', ${row.now}, ${row.now})
    on conflict (connection_uuid) do update
       set old_platform_id = excluded.old_platform_id, state = 'read_through', taken = null, old_side = null,
           imported_at = excluded.imported_at, changed_at = excluded.changed_at, handed_over_at = null,
           refusal_code = null, refusal_message = null, refused_at = null`.execute(db);
}

export interface MoveChange {
  readonly uuid: ConnectionUuid;
  readonly from: MoveState;
  readonly to: MoveState;
  readonly taken?: Buffer | undefined;
  readonly oldSide: OldSide | null;
  readonly now: Date;
}

/** Enters the next state and forgets the last refusal; false when it was in another state. */
export async function storeMove(
  db: Db,
  environmentId: EnvironmentId,
  { uuid, from, to, taken, oldSide, now }: MoveChange,
): Promise<boolean> {
  const handedOverAt = to === "handed_over" ? now : null;
  const result = await sql`
    update old_platform_connections
       set state = ${to}, taken = ${taken ?? null}, old_side = ${oldSide}, changed_at = ${now},
           handed_over_at = coalesce(${handedOverAt}, handed_over_at),
           refusal_code = null, refusal_message = null, refused_at = null
     where environment_id = ${environmentId} and connection_uuid = ${uuid} and state = ${from}`.execute(
    db,
  );
  return result.numAffectedRows === 1n;
}

export async function storeRefusal(
  db: Db,
  environmentId: EnvironmentId,
  {
    uuid,
    ...refusal
  }: {
    readonly uuid: ConnectionUuid;
    readonly code: RefusalCode;
    readonly message: string;
    readonly now: Date;
  },
): Promise<void> {
  await sql`
    update old_platform_connections
       set refusal_code = ${refusal.code}, refusal_message = ${refusal.message}, refused_at = ${refusal.now}
     where environment_id = ${environmentId} and connection_uuid = ${uuid}`.execute(db);
}

/** The connection has credentials of its own now. */
export async function storeReauthorized(
  db: Db,
  environmentId: EnvironmentId,
  { uuid, now }: { readonly uuid: ConnectionUuid; readonly now: Date },
): Promise<void> {
  await sql`
    update old_platform_connections
       set state = 'reauthorized', taken = null, changed_at = ${now},
           refusal_code = null, refusal_message = null, refused_at = null
     where environment_id = ${environmentId} and connection_uuid = ${uuid}`.execute(db);
}

export async function deleteMoved(
  db: Db,
  environmentId: EnvironmentId,
  uuids: readonly ConnectionUuid[],
): Promise<void> {
  await sql`
    delete from old_platform_connections
     where environment_id = ${environmentId} and connection_uuid = any(${uuids}::uuid[])`.execute(
    db,
  );
}

export async function deletePlatformsOf(db: Db, environmentId: EnvironmentId): Promise<void> {
  await sql`delete from old_platforms where environment_id = ${environmentId}`.execute(db);
}
