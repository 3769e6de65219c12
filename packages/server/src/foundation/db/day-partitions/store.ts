import { type RawBuilder, sql } from "kysely";
import type { Db } from "../owned-db.ts";
import {
  type Day,
  type DayTable,
  dayAfter,
  type Partition,
  partitionName,
  toPartition,
} from "./day-table.ts";

/** Any number, the same in all processes. */
const PARTITION_LOCK = 4_119_203_377;

/** The days of a table, oldest first; without its default partition. */
export async function listDays(db: Db, { name }: DayTable): Promise<readonly Partition[]> {
  // Not to_regclass: within a transaction that may answer from a stale cache.
  const { rows } = await sql<{ name: string }>`
    select c.relname as name
      from pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_class p on p.oid = i.inhparent
     where p.relname = ${name} and p.relnamespace = current_schema()::regnamespace`.execute(db);
  return rows
    .flatMap(({ name }) => toPartition(name) ?? [])
    .toSorted((a, b) => (a.until < b.until ? -1 : 1));
}

/**
 * Behind a wait for a lock every later statement on the table waits too. And we give up before Postgres looks for
 * deadlocks, after a second: so it is never a writer that is aborted.
 */
async function boundLocks(db: Db): Promise<void> {
  await sql`set local lock_timeout = '300ms'`.execute(db);
  // Citus changes the tables of its shards in parallel, by several sessions, which can wait for each other. PostgreSQL
  // alone keeps a parameter of this form and does nothing with it.
  await sql`set local citus.multi_shard_modify_mode = 'sequential'`.execute(db);
}

/**
 * False where another process has made it. Attached after it was filled: `create … partition of` would lock the
 * parent against all inserts, and rows of the day that went to the default partition have to move first.
 */
export async function addDay(db: Db, table: DayTable, day: Day): Promise<boolean> {
  await sql`select pg_advisory_xact_lock(${PARTITION_LOCK})`.execute(db);
  if ((await listDays(db, table)).some((known) => known.day === day)) return false;
  await boundLocks(db);
  await lockReferenced(db, table);
  const partition = sql.table(partitionName(table, day));
  const parent = sql.table(table.name);
  const rest = sql.table(`${table.name}_default`);
  const time = sql.ref(table.time);
  const [from, to] = [startOf(day), startOf(dayAfter(day))];
  const isOfDay = sql`${time} >= ${from}::timestamptz and ${time} < ${to}::timestamptz`;
  const { rows: begun } = await sql`select from ${rest} where ${isOfDay} limit 1`.execute(db);
  // An insert that is on its way to the default partition would be refused there once the day is made.
  if (begun.length > 0)
    await sql`lock table only ${parent} in share row exclusive mode`.execute(db);
  await sql`lock table ${rest} in access exclusive mode`.execute(db);
  await sql`
    create table ${partition}
      (like ${parent} including defaults including constraints including storage)`.execute(db);
  await copyParameters(db, { from: `${table.name}_default`, to: partitionName(table, day) });
  // Citus takes no change within a common table expression that reaches several servers.
  await sql`insert into ${partition} select * from ${rest} where ${isOfDay}`.execute(db);
  await sql`delete from ${rest} where ${isOfDay}`.execute(db);
  await sql`alter table ${parent} attach partition ${partition} for values from (${from}) to (${to})`.execute(
    db,
  );
  return true;
}

/** Storage parameters, which partitions do not inherit: they are set on the default partition. */
async function copyParameters(db: Db, { from, to }: { from: string; to: string }): Promise<void> {
  const { rows } = await sql<{ options: string | null }>`
    select array_to_string(reloptions, ', ') as options from pg_class
     where relname = ${from} and relnamespace = current_schema()::regnamespace`.execute(db);
  const options = rows[0]?.options;
  if (options) await sql`alter table ${sql.table(to)} set (${sql.raw(options)})`.execute(db);
}

/**
 * What attaching locks for the sake of foreign keys, before it locks the default partition: a writer too locks the
 * tables that it names before the partitions.
 */
async function lockReferenced(db: Db, table: DayTable): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select distinct r.relname as name
      from pg_constraint f join pg_class c on c.oid = f.conrelid join pg_class r on r.oid = f.confrelid
     where f.contype = 'f' and c.relname = ${table.name} and c.relnamespace = current_schema()::regnamespace
     order by 1`.execute(db);
  for (const { name } of rows) {
    await sql`lock table ${sql.table(name)} in share row exclusive mode`.execute(db);
  }
}

function startOf(day: Day): RawBuilder<unknown> {
  return sql.lit(`${day}T00:00:00Z`);
}

/** Whether more than so many rows of a partition are needed. */
export async function hasMoreThan(
  db: Db,
  partition: Partition,
  { count, needed }: { count: number; needed: RawBuilder<boolean> },
): Promise<boolean> {
  const { rows } = await sql`
    select from ${sql.table(partition.name)} t where ${needed} offset ${count} limit 1`.execute(db);
  return rows.length > 0;
}

/**
 * Takes a partition away; the rows of it that are needed move to the default partition. Gives up soon rather than
 * have every statement wait behind a long reader.
 */
export async function dropPartition(
  db: Db,
  table: DayTable,
  { partition, needed }: { partition: Partition; needed: RawBuilder<boolean> | undefined },
): Promise<number> {
  await boundLocks(db);
  const name = sql.table(partition.name);
  await sql`lock table only ${sql.table(table.name)} in access exclusive mode`.execute(db);
  if (needed === undefined) {
    await sql`drop table ${name}`.execute(db);
    return 0;
  }
  // Not by detaching: with a foreign key that locks the table that it leads to.
  await sql`create temp table needed_rows on commit drop as select * from ${name} t where ${needed}`.execute(
    db,
  );
  await sql`drop table ${name}`.execute(db);
  const moved = await sql`
    insert into ${sql.table(`${table.name}_default`)} select * from needed_rows`.execute(db);
  return Number(moved.numAffectedRows ?? 0n);
}
