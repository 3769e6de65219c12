import type pg from "pg";
import type { Partition, SequenceValue, TableHead } from "./database-part.ts";

// What a migration, a start or the moment makes is no content, nor what is about this server; a quarantine is the copy's own.
const NO_CONTENT = `('schema_migrations', 'restore_in_progress', 'quarantine', 'dashboard_files', 'primary_timelines')`;

/** Tables with rows of their own, those that others refer to first. */
export async function listTables(client: pg.Client): Promise<TableHead[]> {
  const { rows } = await client.query<TableHead & { id: string; refersTo: string[] }>(`
    select c.oid::text as id, n.nspname as schema, c.relname as name,
      array(select a.attname::text from pg_attribute a
             where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
             order by a.attnum) as columns,
      array(select f.confrelid::text from pg_constraint f
             where f.conrelid = c.oid and f.contype = 'f') as "refersTo"
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind = 'r'
      and (n.nspname = 'public' and c.relname not in ${NO_CONTENT}
        or n.nspname = 'graphile_worker' and c.relname <> 'migrations')
      and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')
    order by n.nspname, c.relname`);
  return orderByReferences(rows).map(({ schema, name, columns }) => ({ schema, name, columns }));
}

interface Referring {
  readonly id: string;
  readonly refersTo: readonly string[];
}

/** Each after all that it refers to; where references go in a circle, in the order given. */
export function orderByReferences<Table extends Referring>(tables: readonly Table[]): Table[] {
  const byId = new Map(tables.map((table) => [table.id, table]));
  const ordered = new Set<Table>();
  const visiting = new Set<Table>();
  const visit = (table: Table): void => {
    if (ordered.has(table) || visiting.has(table)) return;
    visiting.add(table);
    for (const id of table.refersTo) {
      const target = byId.get(id);
      if (target !== undefined) visit(target);
    }
    ordered.add(table);
  };
  for (const table of tables) visit(table);
  return [...ordered];
}

/** Parents first. */
export async function listPartitions(client: pg.Client): Promise<Partition[]> {
  const { rows } = await client.query<Partition>(`
    select n.nspname as schema, c.relname as name, p.relname as parent,
      pg_get_expr(c.relpartbound, c.oid) as bound,
      case when c.relkind = 'p' then pg_get_partkeydef(c.oid) end as key,
      c.reloptions as options
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
      join pg_inherits i on i.inhrelid = c.oid join pg_class p on p.oid = i.inhparent
    where c.relispartition and c.relkind in ('r', 'p') and n.nspname = 'public'
    order by (select count(*) from pg_partition_ancestors(c.oid)), c.relname`);
  return rows;
}

/** Those that were used. */
export async function listSequences(client: pg.Client): Promise<SequenceValue[]> {
  const { rows } = await client.query<SequenceValue>(`
    select schemaname as schema, sequencename as name, last_value::text as value
    from pg_sequences
    where schemaname in ('public', 'graphile_worker') and last_value is not null
    order by 1, 2`);
  return rows;
}
