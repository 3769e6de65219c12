import type pg from "pg";
import { columnsOf, type Group } from "./distributed-tables.ts";

/** What keeps the tables of a schema from being distributed, a line each; all of it is read from the catalogue. */
export async function findUnmet(client: pg.Client, groups: readonly Group[]): Promise<string[]> {
  const columns = columnsOf(groups);
  const tables = [...columns.keys()];
  const found = [
    ...(await findMissing(client, columns)),
    ...(await findKeysWithout(client, columns)),
    ...(await findWrongReferences(client, groups)),
    ...(await findTriggers(client, tables)),
    ...(await findPartitionsOfPartitions(client, tables)),
  ];
  return found.toSorted();
}

async function findMissing(
  client: pg.Client,
  columns: ReadonlyMap<string, string>,
): Promise<string[]> {
  const { rows } = await client.query<{ name: string; column: string }>(`
    select c.relname as name, a.attname as column
      from pg_class c join pg_attribute a on a.attrelid = c.oid
     where c.relnamespace = 'public'::regnamespace and a.attnotnull and c.relkind in ('r', 'p')`);
  const known = new Set(rows.map(({ name, column }) => `${name}.${column}`));
  return [...columns].flatMap(([table, column]) =>
    known.has(`${table}.${column}`) ? [] : [`${table} has no ${column} that is never null`],
  );
}

/** Uniqueness is kept by each server for its own rows. */
async function findKeysWithout(
  client: pg.Client,
  columns: ReadonlyMap<string, string>,
): Promise<string[]> {
  const { rows } = await client.query<{ table: string; key: string; columns: string[] }>(
    `select c.relname as table, i.relname as key,
            array(select a.attname::text from pg_attribute a
                   where a.attrelid = c.oid and a.attnum = any(x.indkey::int2[])) as columns
       from pg_index x join pg_class c on c.oid = x.indrelid join pg_class i on i.oid = x.indexrelid
      where x.indisunique and c.relnamespace = 'public'::regnamespace and c.relname = any($1)`,
    [[...columns.keys()]],
  );
  return rows.flatMap(({ table, key, columns: inKey }) => {
    const column = columns.get(table) ?? "";
    return inKey.includes(column) ? [] : [`${table}: the unique key ${key} lacks ${column}`];
  });
}

/** A reference is looked up on the server of the row. */
async function findWrongReferences(client: pg.Client, groups: readonly Group[]): Promise<string[]> {
  const columns = columnsOf(groups);
  const groupOf = (table: string) => groups.find(({ tables }) => Object.hasOwn(tables, table));
  const { rows } = await client.query<{
    name: string;
    table: string;
    other: string;
    pairs: [string, string][];
  }>(`
    select f.conname as name, c.relname as table, r.relname as other,
           array(select array[a.attname::text, b.attname::text]
                   from unnest(f.conkey, f.confkey) as k (own, others)
                   join pg_attribute a on a.attrelid = c.oid and a.attnum = k.own
                   join pg_attribute b on b.attrelid = r.oid and b.attnum = k.others) as pairs
      from pg_constraint f join pg_class c on c.oid = f.conrelid join pg_class r on r.oid = f.confrelid
     where f.contype = 'f' and f.conparentid = 0 and c.relnamespace = 'public'::regnamespace`);
  return rows.flatMap(({ name, table, other, pairs }) => {
    const group = groupOf(table);
    if (group === undefined && groupOf(other) === undefined) return [];
    if (group === undefined || group !== groupOf(other)) {
      return [`${table}: the reference ${name} to ${other} leaves the group`];
    }
    const hasBoth = pairs.some(
      ([own, others]) => own === columns.get(table) && others === columns.get(other),
    );
    return hasBoth ? [] : [`${table}: the reference ${name} to ${other} lacks the column`];
  });
}

async function findTriggers(client: pg.Client, tables: readonly string[]): Promise<string[]> {
  const { rows } = await client.query<{ name: string; table: string }>(
    `select t.tgname as name, c.relname as table from pg_trigger t join pg_class c on c.oid = t.tgrelid
      where not t.tgisinternal and c.relnamespace = 'public'::regnamespace and c.relname = any($1)`,
    [tables],
  );
  return rows.map(({ name, table }) => `${table} has the trigger ${name}`);
}

/** Citus knows one level of partitions. */
async function findPartitionsOfPartitions(
  client: pg.Client,
  tables: readonly string[],
): Promise<string[]> {
  const { rows } = await client.query<{ table: string }>(
    `select distinct t.name as table
       from unnest($1::text[]) as t (name)
       join pg_class c on c.relname = t.name and c.relnamespace = 'public'::regnamespace
      cross join lateral pg_partition_tree(c.oid) part
      where part.level > 1 or (part.level > 0 and not part.isleaf)`,
    [tables],
  );
  return rows.map(({ table }) => `${table} has partitions of partitions`);
}
