import { sql } from "kysely";
import type { ConnectionUuid, EnvironmentId } from "#foundation";
import { type Db, inIndexOrder } from "#foundation/db";
import { findPartition, type ModelId } from "../store.ts";

export interface ModelFilter {
  readonly connection: ConnectionUuid | undefined;
  /** As it is stored. */
  readonly model: string | undefined;
  /** Number of the last model of the page before. */
  readonly before: number | undefined;
  readonly limit: number;
}

export interface ModelRow {
  readonly id: number;
  readonly connectionId: string;
  readonly integrationKey: string;
  /** As it is stored. */
  readonly model: string;
  readonly liveCount: number;
  readonly lastModifiedAt: Date;
  readonly maxBytes: number;
  /** Null until they are counted again. */
  readonly bytes: number | null;
  readonly refusedDeletes: number | null;
  /** Of a refusal by a release before, both are null. */
  readonly refusedAt: Date | null;
  readonly refusedSample: readonly string[] | null;
}

/**
 * Newest first. The numbers of an environment's models are a range of their own, so that the index of numbers has its
 * models alone, in their order.
 */
export async function listModelRows(
  db: Db,
  environmentId: EnvironmentId,
  { connection, model, before, limit }: ModelFilter,
): Promise<ModelRow[]> {
  // By itself: models may lie on other servers.
  const number = await findPartition(db, environmentId);
  if (number === undefined) return [];
  const ofEnvironment = sql`(m.environment_id = ${environmentId}) is true`;
  const following = before === undefined ? sql`true` : sql`m.id < ${before}`;
  const order = sql`order by m.id desc limit ${limit}`;
  const ofModel = model === undefined ? sql`true` : sql`m.model = ${model}`;
  const page =
    connection !== undefined
      ? // Those of a connection are few: the offset keeps the list's order out of it.
        sql`select m.* from (
              select * from record_models
               where environment_id = ${environmentId} and connection_uuid = ${connection} offset 0) m
             where ${ofModel} and ${following} ${order}`
      : model !== undefined
        ? sql`select m.* from record_models m
               where m.environment_id = ${environmentId} and m.model = ${model} and m.id > 0 and ${following} ${order}`
        : sql`select m.* from record_models m
               where m.id >= ${number}::int8 * 4294967296 and m.id < (${number}::int8 + 1) * 4294967296
                 and ${ofEnvironment} and ${following} ${order}`;
  const columns = sql`
    m.id, m.connection_uuid, m.model, m.live_count, m.last_modified_at, m.max_bytes,
    case when m.bytes_sequence = m.sequence then m.bytes end as bytes, m.refused_deletes, m.refused_at, m.refused_sample`;
  const query = sql<StoredModel>`select ${columns} from (${page}) m order by m.id desc`;
  // While the table has no statistics, Postgres would put all models of the environment in order.
  const { rows } = await inIndexOrder(db, async (db) => await query.execute(db));
  const names = await findNames(db, [...new Set(rows.map((row) => row.connectionUuid))]);
  return rows.flatMap(({ connectionUuid, ...row }) => {
    const named = names.get(connectionUuid);
    return named === undefined ? [] : [{ ...row, ...named }];
  });
}

export interface QuarantinedModel {
  readonly id: ModelId;
  readonly connectionId: string;
  readonly integrationKey: string;
  /** As it is stored. */
  readonly model: string;
  readonly quarantined: number;
  readonly quarantinedSince: Date;
}

type StoredQuarantine = Omit<QuarantinedModel, keyof Names> & {
  readonly connectionUuid: ConnectionUuid;
};

/** Models with quarantined records, newest first. */
export async function listQuarantinedModels(
  db: Db,
  environmentId: EnvironmentId,
  { connection, model, before, limit }: ModelFilter,
): Promise<QuarantinedModel[]> {
  const query = sql<StoredQuarantine>`
    select id, connection_uuid, model, quarantined, quarantined_since from record_models
     where environment_id = ${environmentId} and quarantined > 0
       and ${before === undefined ? sql`true` : sql`id < ${before}`}
       and ${connection === undefined ? sql`true` : sql`connection_uuid = ${connection}`}
       and ${model === undefined ? sql`true` : sql`model = ${model}`}
     order by id desc limit ${limit}`;
  const { rows } = await inIndexOrder(db, async (db) => await query.execute(db));
  const names = await findNames(db, [...new Set(rows.map((row) => row.connectionUuid))]);
  return rows.flatMap(({ connectionUuid, ...row }) => {
    const named = names.get(connectionUuid);
    return named === undefined ? [] : [{ ...row, ...named }];
  });
}

type Names = Pick<ModelRow, "connectionId" | "integrationKey">;
type StoredModel = Omit<ModelRow, keyof Names> & { readonly connectionUuid: ConnectionUuid };

/** Of the tables of #connections and #integrations, which do not lie where models do. */
async function findNames(
  db: Db,
  connections: readonly ConnectionUuid[],
): Promise<ReadonlyMap<ConnectionUuid, Names>> {
  const { rows } = await sql<Names & { uuid: ConnectionUuid }>`
    select c.uuid, c.connection_id, i.unique_key as integration_key
      from connections c join integrations i on i.id = c.integration_id
     where c.uuid = any(${connections}::uuid[])`.execute(db);
  return new Map(rows.map(({ uuid, ...names }) => [uuid, names]));
}
