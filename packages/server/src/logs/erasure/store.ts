import { type RawBuilder, sql } from "kysely";
import type { EnvironmentId } from "#platform";
import { type Db, inIndexOrder } from "#platform/db";

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

/**
 * Of the operations after a position, deletes those that name one of the words, and the messages that do. Words are in
 * small letters; `encoded` is found in exactly these.
 */
export async function deleteNaming(
  db: Db,
  environmentId: EnvironmentId,
  {
    words,
    encoded,
    after,
    limit,
  }: {
    words: readonly string[];
    encoded: readonly string[];
    after: LogPosition | undefined;
    limit: number;
  },
): Promise<ErasedPage> {
  // The text of a row is made once, however many words there are: behind the offset Postgres does not make it for each.
  const names = (row: RawBuilder<unknown>) => sql`
    exists (select from (select ${row}::text as line, lower(${row}::text) as small offset 0) own
             where exists (select from unnest(${words}::text[]) word where strpos(own.small, word) > 0)
                or exists (select from unnest(${encoded}::text[]) form where strpos(own.line, form) > 0))`;
  const page = sql`
    select id, created_at, ${names(sql`o`)} as is_meant from operations o
     where environment_id = ${environmentId} and ${pageAfter(after, limit)}`;
  return await deletePage(db, environmentId, { page, limit, alsoLines: names(sql`m`) });
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
