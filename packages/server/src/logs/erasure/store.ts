import { type RawBuilder, sql } from "kysely";
import type { EnvironmentId } from "#foundation";
import { type Db, inIndexOrder } from "#foundation/db";
import type { LogMoment } from "./written-since.ts";

export interface ErasedRows {
  readonly operations: number;
  readonly messages: number;
}

export interface LogPosition {
  readonly createdAt: string;
  readonly id: string;
}

export interface ErasedPage extends ErasedRows {
  /** The last operation that was looked at; undefined at the end. */
  readonly last: LogPosition | undefined;
}

/** Deletes some of the operations of connections by name, with their messages. */
export async function deleteOfConnections(
  db: Db,
  environmentId: EnvironmentId,
  { names, limit }: { names: readonly string[]; limit: number },
): Promise<ErasedPage> {
  // In no order, for which Postgres might walk through the whole log.
  const page = sql`
    select id, created_at, true as is_meant from operations
     where environment_id = ${environmentId} and connection ->> 'name' = any(${names}::text[])
     limit ${limit}`;
  return await deletePage(db, environmentId, { page, limit, alsoLines: sql`false` });
}

/** Texts that name somebody. */
export interface Words {
  /** In small letters. */
  readonly small: readonly string[];
  /** Found in exactly these. */
  readonly encoded: readonly string[];
}

/** The text of a row is made once, however many words there are: behind an offset Postgres does not make it for each. */
function namesOne({ small, encoded }: Words, row: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`
    exists (select from (
               select line, lower(line) as small from (select ${row}::text as line offset 0) made offset 0) own
             where exists (select from unnest(${small}::text[]) word where strpos(own.small, word) > 0)
                or exists (select from unnest(${encoded}::text[]) form where strpos(own.line, form) > 0))`;
}

/** Of the operations after a position, deletes those that name one of the words, and the messages that do. */
export async function deleteNaming(
  db: Db,
  environmentId: EnvironmentId,
  { words, after, limit }: { words: Words; after: LogPosition | undefined; limit: number },
): Promise<ErasedPage> {
  const page = sql`
    select id, created_at, ${namesOne(words, sql`o`)} as is_meant from operations o
     where environment_id = ${environmentId} and ${pageAfter(after, limit)}`;
  return await deletePage(db, environmentId, {
    ...{ page, limit },
    alsoLines: namesOne(words, sql`m`),
  });
}

/**
 * Of a time of the log, deletes the operations and messages that name one of the words and were written or changed by
 * this transaction or a later one. Each row has the number of its own in `xmin`: only their text is made.
 */
export async function deleteWrittenSince(
  db: Db,
  environmentId: EnvironmentId,
  {
    words,
    from,
    to,
    transaction,
  }: { words: Words; from: Date | undefined; to: Date | undefined; transaction: string },
): Promise<ErasedRows> {
  const isMeant = (row: RawBuilder<unknown>) => {
    const parts = [
      sql`${row}.environment_id = ${environmentId}`,
      from && sql`${row}.created_at >= ${from}`,
      to && sql`${row}.created_at < ${to}`,
      sql`age(${row}.xmin) <= age(${transaction}::text::xid8::xid)`,
      namesOne(words, row),
    ].filter((part) => part !== undefined);
    return sql.join(parts, sql` and `);
  };
  const { rows } = await sql<ErasedRows>`
    with gone as (
      delete from operations o where ${isMeant(sql`o`)} returning id
    ), lines as (
      delete from operation_messages m
       where m.environment_id = ${environmentId} and m.operation_id = any(array(select id from gone))
      returning 1
    ), naming as (
      delete from operation_messages m
       where ${isMeant(sql`m`)} and m.operation_id <> all(array(select id from gone))
      returning 1)
    select (select count(*) from gone)::int as operations,
           ((select count(*) from lines) + (select count(*) from naming))::int as messages`.execute(
    db,
  );
  return rows[0] ?? { operations: 0, messages: 0 };
}

/** Now. */
export async function readMoment(db: Db): Promise<LogMoment | undefined> {
  const { rows } = await sql<LogMoment>`
    select c.system_identifier || '/' || d.oid as database,
           pg_snapshot_xmin(pg_current_snapshot())::text as transaction
      from pg_control_system() c, pg_database d where d.datname = current_database()`.execute(db);
  return rows[0];
}

/** When the oldest operation of an environment began; undefined when there is none. */
export async function findFirstTime(
  db: Db,
  environmentId: EnvironmentId,
): Promise<Date | undefined> {
  const { rows } = await sql<{ time: Date }>`
    select created_at as time from operations where environment_id = ${environmentId}
     order by created_at limit 1`.execute(db);
  return rows[0]?.time;
}

/** Some of the operations of an environment after a position, about anything, with their messages. */
export async function deleteOfEnvironment(
  db: Db,
  environmentId: string,
  { after, limit }: { after: LogPosition | undefined; limit: number },
): Promise<ErasedPage> {
  const page = sql`
    select id, created_at, true as is_meant from operations
     where environment_id = ${environmentId} and ${pageAfter(after, limit)}`;
  return await deletePage(db, environmentId, { page, limit, alsoLines: sql`false` });
}

/** From page to page, the newest first, so that none walks over what is gone already. */
function pageAfter(after: LogPosition | undefined, limit: number): RawBuilder<unknown> {
  const start =
    after === undefined
      ? sql`true`
      : sql`(created_at, id) < (${after.createdAt}::timestamptz, ${after.id}::uuid)`;
  return sql`${start} order by created_at desc, id desc limit ${limit}`;
}

/**
 * Of a page of operations deletes what is meant, its messages, and those messages `m` of the others that are meant
 * themselves. By ids and times of the page: in a join Postgres would read all days of the log for each page.
 */
async function deletePage(
  db: Db,
  environmentId: string,
  {
    page,
    limit,
    alsoLines,
  }: { page: RawBuilder<unknown>; limit: number; alsoLines: RawBuilder<unknown> },
): Promise<ErasedPage> {
  // The last row of the page is read by its place: sorts are off.
  const deletion = sql<ErasedRows & { count: number; createdAt: string; id: string }>`
    with page as materialized (
      ${page}
    ), gone as (
      delete from operations o
       where o.environment_id = ${environmentId}
         and o.id = any(array(select id from page where is_meant))
         and o.created_at >= (select min(created_at) from page)
         and o.created_at <= (select max(created_at) from page)
      returning 1
    ), lines as (
      delete from operation_messages m
       where m.environment_id = ${environmentId} and m.operation_id = any(array(select id from page))
         and (m.operation_id in (select id from page where is_meant) or ${alsoLines})
      returning 1)
    select (select count(*) from gone)::int as operations, (select count(*) from lines)::int as messages,
           (select count(*) from page)::int as count, created_at::text as created_at, id
      from page offset (select greatest(count(*) - 1, 0) from page)`;
  const { rows } = await inIndexOrder(db, async (db) => await deletion.execute(db));
  const [row] = rows;
  if (row === undefined) return { operations: 0, messages: 0, last: undefined };
  const { operations, messages, count, createdAt, id } = row;
  return { operations, messages, last: count < limit ? undefined : { createdAt, id } };
}

/** Messages whose operation was left out of the log; no index finds them, so all messages are read once. */
export async function deleteLeftMessages(
  db: Db,
  environmentIds: readonly string[],
): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from operation_messages where environment_id = any(${environmentIds}::uuid[])`.execute(
    db,
  );
  return Number(numAffectedRows ?? 0);
}
