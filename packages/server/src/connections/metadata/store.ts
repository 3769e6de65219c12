import { sql } from "kysely";
import type { EnvironmentId } from "#foundation";
import type { Db } from "#foundation/db";
import { connectionByNames } from "../names-store.ts";
import { connectionTables } from "../store.ts";

type Metadata = Readonly<Record<string, unknown>>;

const connectionOfName = sql.raw(
  connectionByNames("named.environment", "named.integration", "named.name"),
);

/** Changes all of the connections named, or none; answers how many it changed. */
export async function changeMetadataRows(
  db: Db,
  environmentId: EnvironmentId,
  {
    integrationId,
    connectionIds,
    metadata,
    merge,
    now,
  }: {
    integrationId: number;
    connectionIds: readonly string[];
    metadata: Metadata;
    merge: boolean;
    now: Date;
  },
): Promise<{ changed: number; largestBytes: number; only: Metadata | undefined }> {
  const text = JSON.stringify(metadata);
  // Locked in one order, so that two calls over the same connections cannot wait for each other.
  const { rows } = await sql<{ changed: string; largest: number | null; only: Metadata | null }>`
    with named as materialized (
      select ${environmentId}::uuid as environment, ${integrationId}::bigint as integration, name
        from unnest(${connectionIds}::text[]) as name),
    wanted as materialized (
      select uuid from connections
       where id in (select c.id from named, lateral (${connectionOfName}) c) and (deleted_at is null) is true
       order by uuid for update),
    changed as (
      update connections
         set metadata = case when ${merge} then coalesce(metadata, '{}') else '{}' end || ${text}::jsonb,
             updated_at = ${now}
       where (environment_id = ${environmentId}) is true and uuid in (select uuid from wanted)
         and (select count(*) from wanted) = ${connectionIds.length}
      returning case when ${merge} then octet_length(metadata::text) end as bytes,
                case when ${connectionIds.length === 1} then metadata end as whole)
    select count(*) as changed, max(bytes) as largest, (array_agg(whole))[1] as only from changed`.execute(
    db,
  );
  const [row] = rows;
  return {
    changed: Number(row?.changed ?? 0),
    largestBytes: row?.largest ?? 0,
    only: row?.only ?? undefined,
  };
}

/** Those of the ids that no connection of the integration has. */
export async function listUnknownIds(
  db: Db,
  environmentId: EnvironmentId,
  { integrationId, connectionIds }: { integrationId: number; connectionIds: readonly string[] },
): Promise<string[]> {
  const rows = await connectionTables(db)
    .selectFrom("connections")
    .select("connectionId")
    .where("environmentId", "=", environmentId)
    .where("integrationId", "=", integrationId)
    .where("connectionId", "in", [...connectionIds])
    .where("deletedAt", "is", null)
    .execute();
  const known = new Set(rows.map(({ connectionId }) => connectionId));
  return connectionIds.filter((id) => !known.has(id));
}
