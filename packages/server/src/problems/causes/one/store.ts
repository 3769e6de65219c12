import { type RawBuilder, sql } from "kysely";

/** Names of connections that a problem shows. */
export const SAMPLE = 5;

/** Columns of a cause as SQL; what is left out is null. */
export interface CauseColumns {
  readonly environment: string;
  readonly kind: string;
  readonly integration?: string;
  readonly function?: string;
  readonly receiver?: string;
  readonly code?: string;
  readonly place?: string;
  readonly since: string;
  readonly lastAt: string;
  readonly count: string;
  readonly sample?: string;
  readonly cause?: string;
  readonly nextAt?: string;
  readonly operationId?: string;
}

/** One cause: what is wrong, of rows that a `from` finds. */
export function causeOf(columns: CauseColumns, from: RawBuilder<unknown>): RawBuilder<unknown> {
  const text = (column: string | undefined) => `(${column ?? "null"})::text`;
  const head = sql.raw(`
    select ${columns.environment} as environment_id, ${text(columns.kind)} as kind,
           ${text(columns.integration)} as integration, ${text(columns.function)} as function,
           ${text(columns.receiver)} as receiver, ${text(columns.code)} as code, ${text(columns.place)} as place,
           (${columns.since})::timestamptz as since, (${columns.lastAt})::timestamptz as last_at,
           (${columns.count})::int as count, (${columns.sample ?? "'[]'"})::jsonb as sample,
           left(${text(columns.cause)}, 1000) as cause, (${columns.nextAt ?? "null"})::timestamptz as next_at,
           (${columns.operationId ?? "null"})::uuid as sample_operation_id`);
  return sql`${head} ${from}`;
}

/** Up to five names, those of the latest first. */
export function sampleOf(name: string, time: string): string {
  return `to_jsonb((array_agg(${name} order by ${time} desc))[1:${SAMPLE}])`;
}

/** That of the latest row. */
export function latestOf(value: string, time: string): string {
  return `(array_agg(${value} order by ${time} desc))[1]`;
}

/** The connection of each row, as `c`: looked up one by one, so that rows that are few make no reason to read all of them. */
export function connectionOf(row: string): RawBuilder<unknown> {
  return sql.raw(
    `cross join lateral (select * from connections where uuid = ${row}.connection_uuid offset 0) c`,
  );
}

/**
 * Environments that have a row of a table for which the condition holds, as `(select id …)`: looks once for each of them
 * into an index of such rows. The order is that of this index after the environment, so that Postgres takes no other one.
 */
export function environmentsWith(
  table: string,
  condition: string,
  order: string,
): RawBuilder<unknown> {
  const next = (after: string) =>
    `(select environment_id from ${table} where ${condition}${after} order by environment_id, ${order} limit 1)`;
  return sql.raw(`
    (with recursive found as (
       ${next("")} union all
       select ${next(" and environment_id > found.environment_id")} from found where environment_id is not null)
     select environment_id as id from found where environment_id is not null)`);
}
