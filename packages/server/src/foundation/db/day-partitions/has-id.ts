import { type RawBuilder, sql } from "kysely";

/**
 * SQL: the row of a table that is partitioned by `created_at` has this id. The id holds its day;
 * ids that are no UUID v7 are looked for in every day.
 */
export function hasId(table: string, id: string): RawBuilder<boolean> {
  const time = sql.ref(`${table}.created_at`);
  return sql<boolean>`${sql.ref(`${table}.id`)} = ${id}::uuid
    and ${time} >= made_from(${id}::uuid) and ${time} < made_until(${id}::uuid)`;
}

/** The same as text, for an id that SQL names: a parameter, or a column of another table. */
export function hasIdText(table: string, id: string): string {
  return `${table}.id = ${id} and ${table}.created_at >= made_from(${id}) and ${table}.created_at < made_until(${id})`;
}
