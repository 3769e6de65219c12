import { sql } from "kysely";
import type { ConnectionUuid, EnvironmentId } from "#foundation";
import { type Db, hotStatement, runHot } from "#foundation/db";
import type { Checkpoint } from "../sync.ts";

/** Key of a checkpoint within one connection. */
export interface CheckpointPlace {
  readonly connection: ConnectionUuid;
  readonly key: string;
}

const readCheckpoint = hotStatement(
  "checkpoint_read",
  `select checkpoint, version from checkpoints
    where environment_id = $1 and connection_uuid = $2 and key = $3`,
);

/** Version 0: there has never been one. */
export async function findCheckpoint(
  db: Db,
  environmentId: EnvironmentId,
  { connection, key }: CheckpointPlace,
): Promise<{ checkpoint: Checkpoint | null; version: number }> {
  const values = [environmentId, connection, key];
  const [row] = await runHot<{ checkpoint: Checkpoint | null; version: number }>(
    db,
    readCheckpoint(values),
  );
  return row ?? { checkpoint: null, version: 0 };
}

const writeCheckpoint = hotStatement(
  "checkpoint_write",
  `insert into checkpoints as c (environment_id, connection_uuid, key, checkpoint, updated_at)
   values ($1, $2, $3, $4::jsonb, $5)
   on conflict (environment_id, connection_uuid, key) do update
      set checkpoint = excluded.checkpoint, version = c.version + 1, updated_at = excluded.updated_at
    where $6::int is null or c.version = $6
   returning version`,
);

/**
 * Saves a checkpoint, null to clear it, and answers its new version; undefined when the stored version is not
 * the expected one.
 */
export async function saveCheckpointRow(
  db: Db,
  environmentId: EnvironmentId,
  { connection, key }: CheckpointPlace,
  {
    checkpoint,
    expected,
    now,
  }: { checkpoint: Checkpoint | null; expected: number | undefined; now: Date },
): Promise<number | undefined> {
  const text = checkpoint === null ? null : JSON.stringify(checkpoint);
  const values = [environmentId, connection, key, text, now, expected ?? null];
  const [row] = await runHot<{ version: number }>(db, writeCheckpoint(values));
  return row?.version;
}

// `is true`: see `findConnectionByUuid` of #connections.
const holdConnection = hotStatement(
  "checkpoint_connection",
  `select 1 from connections
    where uuid = $2 and (environment_id = $1 and deleted_at is null) is true for share`,
);

/** Whether the connection is there; until the transaction ends it stays. */
export async function holdsConnection(
  db: Db,
  environmentId: EnvironmentId,
  connection: ConnectionUuid,
): Promise<boolean> {
  return (await runHot(db, holdConnection([environmentId, connection]))).length === 1;
}

const removeCheckpoints = hotStatement(
  "checkpoint_remove",
  `delete from checkpoints where environment_id = $1 and connection_uuid = $2
      and (key = $3 or starts_with(key, $3 || ':'))`,
);

/** Removes the checkpoint and those below it, such as of delete tracking. */
export async function deleteCheckpoints(
  db: Db,
  environmentId: EnvironmentId,
  { connection, key }: CheckpointPlace,
): Promise<void> {
  await runHot(db, removeCheckpoints([environmentId, connection, key]));
}

/** Removes all of these connections. */
export async function deleteCheckpointsOf(
  db: Db,
  environmentId: EnvironmentId,
  connections: readonly ConnectionUuid[],
): Promise<void> {
  await sql`
    delete from checkpoints
     where environment_id = ${environmentId} and connection_uuid = any(${connections}::uuid[])`.execute(
    db,
  );
}

const listByKeys = hotStatement(
  "checkpoint_list",
  `select connection_uuid as connection, key, checkpoint from checkpoints
    where environment_id = $1 and connection_uuid = any($2::uuid[]) and key = any($3::text[])`,
);

export async function listCheckpoints(
  db: Db,
  environmentId: EnvironmentId,
  connections: readonly ConnectionUuid[],
  keys: readonly string[],
): Promise<(CheckpointPlace & { checkpoint: Checkpoint | null })[]> {
  return await runHot(db, listByKeys([environmentId, connections, keys]));
}
