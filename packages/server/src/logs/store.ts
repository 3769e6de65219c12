import { sql } from "kysely";
import type { EnvironmentId, OperationId } from "#platform";
import { type Db, hotStatement, runHot } from "#platform/db";

/** A row as JSON text, complete, so that many can be written as one parameter. */
export type RowJson = string;

const insertOperationRows = hotStatement(
  "insert_operations",
  `insert into operations
   select * from jsonb_populate_recordset(null::operations, $1::jsonb)`,
);

const insertMessageRows = hotStatement(
  "insert_operation_messages",
  `insert into operation_messages
   select * from jsonb_populate_recordset(null::operation_messages, $1::jsonb)`,
);

/** Rows name their environment themselves. */
export async function insertOperations(db: Db, rows: readonly RowJson[]): Promise<void> {
  await runHot(db, insertOperationRows([`[${rows.join(",")}]`]));
}

export async function insertMessages(db: Db, rows: readonly RowJson[]): Promise<void> {
  await runHot(db, insertMessageRows([`[${rows.join(",")}]`]));
}

// The day of an operation is in its id, so that one partition is looked at.
const finishOperationRow = hotStatement(
  "finish_operation",
  `update operations
      set state = $4, level = $5, ended_at = $6, error = $7::jsonb, response = $8::jsonb,
          meta = nullif(coalesce(meta, '{}') || coalesce($9::jsonb, '{}'), '{}')
    where environment_id = $1 and id = $2 and created_at = $3 and state in ('waiting', 'running')`,
);

export interface OperationEnd {
  readonly id: OperationId;
  readonly createdAt: Date;
  readonly state: string;
  readonly level: string;
  readonly endedAt: Date;
  readonly error: string | null;
  readonly response: string | null;
  readonly meta: string | null;
}

/** Does nothing to an operation that has ended before. */
export async function endOperation(
  db: Db,
  environmentId: EnvironmentId,
  end: OperationEnd,
): Promise<void> {
  const { id, createdAt, state, level, endedAt, error, response, meta } = end;
  await runHot(
    db,
    finishOperationRow([
      environmentId,
      id,
      createdAt,
      state,
      level,
      endedAt,
      error,
      response,
      meta,
    ]),
  );
}

const logTables = ["operations", "operation_messages"] as const;
type LogTable = (typeof logTables)[number];

/** Any number, the same in all processes. */
const PARTITION_LOCK = 4_119_203_377;

/** Makes what is missing of the partitions of these days (`YYYY-MM-DD`, UTC). */
export async function createPartitions(db: Db, days: readonly string[]): Promise<string[]> {
  const wanted = logTables.flatMap((table) => days.map((day) => ({ table, day })));
  if ((await listMissing(db, wanted)).length === 0) return [];
  await sql`select pg_advisory_xact_lock(${PARTITION_LOCK})`.execute(db);
  await sql`set local lock_timeout = '5s'`.execute(db);
  const missing = await listMissing(db, wanted);
  for (const { table, day } of missing) await createPartition(db, table, day);
  return missing.map(({ table, day }) => partitionName(table, day));
}

async function listMissing(db: Db, wanted: { table: LogTable; day: string }[]) {
  const names = wanted.map(({ table, day }) => partitionName(table, day));
  // Not to_regclass: within a transaction that may answer from a stale cache.
  const found = await sql<{ name: string }>`
    select relname as name from pg_class
     where relname = any(${names}) and relnamespace = current_schema()::regnamespace
  `.execute(db);
  const known = new Set(found.rows.map((row) => row.name));
  return wanted.filter(({ table, day }) => !known.has(partitionName(table, day)));
}

function partitionName(table: LogTable, day: string): string {
  return `${table}_${day.replaceAll("-", "")}`;
}

/**
 * Attached after it was filled: `create … partition of` would lock the parent against all inserts,
 * and rows of the day that went to the default partition have to move first.
 */
async function createPartition(db: Db, table: LogTable, day: string): Promise<void> {
  const partition = sql.table(partitionName(table, day));
  const parent = sql.table(table);
  const rest = sql.table(`${table}_default`);
  const from = sql.lit(`${day}T00:00:00Z`);
  const to = sql`(${from}::timestamptz + interval '1 day')`;
  await sql`create table ${partition} (like ${parent} including defaults including constraints)`.execute(
    db,
  );
  await sql`with moved as (
      delete from ${rest} where created_at >= ${from}::timestamptz and created_at < ${to} returning *
    )
    insert into ${partition} select * from moved`.execute(db);
  await sql`alter table ${parent} attach partition ${partition} for values from (${from}) to (${to})`.execute(
    db,
  );
}
