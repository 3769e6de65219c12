import { type RawBuilder, sql } from "kysely";
import type { EnvironmentId } from "#platform";
import type { Db } from "#platform/db";

export interface ErasedRows {
  readonly operations: number;
  readonly messages: number;
}

/** Deletes some of the operations of connections by name, with their messages. */
export async function deleteOfConnections(
  db: Db,
  environmentId: EnvironmentId,
  { names, limit }: { names: readonly string[]; limit: number },
): Promise<ErasedRows> {
  const { rows } = await sql<ErasedRows>`
    with gone as (
      delete from operations o using (
        select id, created_at from operations
         where environment_id = ${environmentId} and connection ->> 'name' = any(${names}::text[])
         limit ${limit}) found
       where o.environment_id = ${environmentId} and o.id = found.id and o.created_at = found.created_at
      returning o.id
    ), lines as (
      delete from operation_messages
       where operation_id in (select id from gone) and environment_id = ${environmentId}
      returning 1)
    select (select count(*) from gone)::int as operations, (select count(*) from lines)::int as messages`.execute(
    db,
  );
  return rows[0] ?? { operations: 0, messages: 0 };
}

export interface LogPosition {
  readonly createdAt: string;
  readonly id: string;
}

/**
 * Of the operations after a position, the newest first, deletes those that name one of the words, and the messages that
 * do; resolves to the last one looked at, too: undefined at the end. Words are in small letters; `encoded` is found in
 * exactly these.
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
): Promise<ErasedRows & { readonly last: LogPosition | undefined }> {
  const start =
    after === undefined
      ? sql`true`
      : sql`(created_at, id) < (${after.createdAt}::timestamptz, ${after.id}::uuid)`;
  // The text of a row is made once, however many words there are: behind the offset Postgres does not make it for each.
  const names = (row: RawBuilder<unknown>) => sql`
    exists (select from (select ${row}::text as line, lower(${row}::text) as small offset 0) own
             where exists (select from unnest(${words}::text[]) word where strpos(own.small, word) > 0)
                or exists (select from unnest(${encoded}::text[]) form where strpos(own.line, form) > 0))`;
  const { rows } = await sql<ErasedRows & { count: number; createdAt: string; id: string }>`
    with page as materialized (
      select id, created_at, ${names(sql`o`)} as names_it from operations o
       where environment_id = ${environmentId} and ${start}
       order by created_at desc, id desc limit ${limit}
    ), gone as (
      delete from operations o using page
       where page.names_it and o.environment_id = ${environmentId} and o.id = page.id
         and o.created_at = page.created_at
      returning 1
    ), lines as (
      delete from operation_messages m using page
       where m.operation_id = page.id and m.environment_id = ${environmentId}
         and (page.names_it or ${names(sql`m`)})
      returning 1)
    select (select count(*) from gone)::int as operations, (select count(*) from lines)::int as messages,
           (select count(*) from page)::int as count, created_at::text as created_at, id
      from page order by page.created_at, page.id limit 1`.execute(db);
  const [row] = rows;
  if (row === undefined) return { operations: 0, messages: 0, last: undefined };
  const { operations, messages, count, createdAt, id } = row;
  return { operations, messages, last: count < limit ? undefined : { createdAt, id } };
}

/** Some of the operations of an environment, about anything, with their messages. */
export async function deleteOfEnvironment(
  db: Db,
  environmentId: string,
  limit: number,
): Promise<ErasedRows> {
  const { rows } = await sql<ErasedRows>`
    with gone as (
      delete from operations o using (
        select id, created_at from operations where environment_id = ${environmentId} limit ${limit}) found
       where o.environment_id = ${environmentId} and o.id = found.id and o.created_at = found.created_at
      returning o.id
    ), lines as (
      delete from operation_messages
       where operation_id in (select id from gone) and environment_id = ${environmentId}
      returning 1)
    select (select count(*) from gone)::int as operations, (select count(*) from lines)::int as messages`.execute(
    db,
  );
  return rows[0] ?? { operations: 0, messages: 0 };
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
