import type pg from "pg";

/** The table of a destination, and the one with how far each table is; both in the customer's database. */
export interface TargetTable {
  readonly schema: string;
  readonly table: string;
}

/** How far a table is filled. */
export interface TargetState {
  readonly destination: string;
  readonly generation: number;
  /** Of the feed; null before the first change. */
  readonly cursor: string | null;
}

/** A record as it is written; times are microseconds since 2000. */
export interface TargetRow {
  readonly source: string;
  readonly id: string;
  readonly integration: string | null;
  readonly connectionId: string | null;
  readonly model: string;
  readonly variant: string;
  /** JSON; null where it was pruned, or is damaged. */
  readonly data: string | null;
  readonly firstSeen: number;
  readonly changed: number;
  readonly deleted: number | null;
  readonly pruned: number | null;
  readonly sequence: number;
}

// For the transaction at hand: poolers take no settings with a connection.
const BEGIN = `begin;
  set local statement_timeout = '30s';
  set local lock_timeout = '10s';
  set local idle_in_transaction_session_timeout = '60s'`;

/** One transaction in the customer's database; what fails in it is undone. */
export async function inTargetTransaction<Result>(
  client: pg.Client,
  work: () => Promise<Result>,
): Promise<Result> {
  await client.query(BEGIN);
  try {
    const result = await work();
    await client.query("commit");
    return result;
  } catch (error) {
    // Where the connection is lost, the database undoes it by itself.
    await client.query("rollback").catch(() => undefined);
    throw error;
  }
}

// Checked before they are stored; without quotes and backslashes this is all that quoting needs.
function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function nameOf({ schema, table }: TargetTable): string {
  return `${quote(schema)}.${quote(table)}`;
}

function stateTableOf({ schema }: TargetTable): string {
  return `${quote(schema)}."jackfield_destinations"`;
}

async function hasTable(client: pg.Client, name: string): Promise<boolean> {
  const { rows } = await client.query<{ known: boolean }>(
    "select to_regclass($1) is not null as known",
    [name],
  );
  return rows[0]?.known === true;
}

/** Makes the schema and the table of states unless they are there. */
export async function addStateTable(client: pg.Client, target: TargetTable): Promise<void> {
  if (await hasTable(client, stateTableOf(target))) return;
  const { rows } = await client.query<{ known: boolean }>(
    "select to_regnamespace($1) is not null as known",
    [quote(target.schema)],
  );
  if (rows[0]?.known !== true) {
    await client.query(`create schema if not exists ${quote(target.schema)}`);
  }
  await client.query(`
    create table if not exists ${stateTableOf(target)} (
      table_name text primary key,
      destination uuid not null,
      generation bigint not null,
      cursor text,
      updated_at timestamptz not null default now()
    )`);
}

/** Makes the table, empty; false when there is one of that name already. */
export async function addRecordTable(
  client: pg.Client,
  target: TargetTable,
  { destination, generation }: Pick<TargetState, "destination" | "generation">,
): Promise<boolean> {
  if (await hasTable(client, nameOf(target))) return false;
  await client.query(`
    create table ${nameOf(target)} (
      source text not null,
      id text not null,
      integration text,
      connection_id text,
      model text not null,
      variant text not null,
      data jsonb,
      first_seen_at timestamptz not null,
      changed_at timestamptz not null,
      deleted_at timestamptz,
      pruned_at timestamptz,
      sequence bigint not null,
      error text,
      primary key (source, id)
    )`);
  await client.query(
    `insert into ${stateTableOf(target)} (table_name, destination, generation) values ($1, $2, $3)
     on conflict (table_name) do update set destination = excluded.destination,
       generation = excluded.generation, cursor = null, updated_at = now()`,
    [target.table, destination, generation],
  );
  return true;
}

/** Locked until the transaction ends: who delivers waits for one another. Undefined for a table of somebody else. */
export async function lockState(
  client: pg.Client,
  target: TargetTable,
): Promise<TargetState | undefined> {
  const { rows } = await client.query<{
    destination: string;
    generation: string;
    cursor: string | null;
  }>(
    `select destination, generation, cursor from ${stateTableOf(target)} where table_name = $1 for update`,
    [target.table],
  );
  const [row] = rows;
  return row && { ...row, generation: Number(row.generation) };
}

/** Removes all rows, for another filling from the beginning. */
export async function emptyTable(
  client: pg.Client,
  target: TargetTable,
  generation: number,
): Promise<void> {
  await client.query(`truncate ${nameOf(target)}`);
  await client.query(
    `update ${stateTableOf(target)} set generation = $2, cursor = null, updated_at = now()
      where table_name = $1`,
    [target.table, generation],
  );
}

export async function moveCursor(
  client: pg.Client,
  target: TargetTable,
  cursor: string,
): Promise<void> {
  await client.query(
    `update ${stateTableOf(target)} set cursor = $2, updated_at = now() where table_name = $1`,
    [target.table, cursor],
  );
}

function timeOf(micros: string): string {
  return `timestamptz '2000-01-01 00:00:00+00' + ${micros} * interval '1 microsecond'`;
}

/** Adds the rows, or replaces those of the same source and id; each may come once. */
export async function upsertRows(
  client: pg.Client,
  target: TargetTable,
  rows: readonly TargetRow[],
): Promise<void> {
  const columns = [
    rows.map(({ source }) => source),
    rows.map(({ id }) => id),
    rows.map(({ integration }) => integration),
    rows.map(({ connectionId }) => connectionId),
    rows.map(({ model }) => model),
    rows.map(({ variant }) => variant),
    rows.map(({ data }) => data),
    rows.map(({ firstSeen }) => firstSeen),
    rows.map(({ changed }) => changed),
    rows.map(({ deleted }) => deleted),
    rows.map(({ pruned }) => pruned),
    rows.map(({ sequence }) => sequence),
  ];
  await client.query(
    `insert into ${nameOf(target)}
       (source, id, integration, connection_id, model, variant, data, first_seen_at, changed_at, deleted_at,
        pruned_at, sequence)
     select t.source, t.id, t.integration, t.connection_id, t.model, t.variant, t.data::jsonb,
            ${timeOf("t.first_seen")}, ${timeOf("t.changed")}, ${timeOf("t.deleted")}, ${timeOf("t.pruned")},
            t.sequence
       from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
                   $8::float8[], $9::float8[], $10::float8[], $11::float8[], $12::bigint[])
              as t (source, id, integration, connection_id, model, variant, data, first_seen, changed, deleted,
                    pruned, sequence)
     on conflict (source, id) do update set
       integration = excluded.integration, connection_id = excluded.connection_id, model = excluded.model,
       variant = excluded.variant, data = excluded.data, first_seen_at = excluded.first_seen_at,
       changed_at = excluded.changed_at, deleted_at = excluded.deleted_at, pruned_at = excluded.pruned_at,
       sequence = excluded.sequence, error = null`,
    columns,
  );
}

/** Rows one by one, after all together were refused: what the database cannot hold is left out, and says so. */
export async function upsertEach(
  client: pg.Client,
  target: TargetTable,
  rows: readonly TargetRow[],
  isOfContent: (error: unknown) => boolean,
): Promise<void> {
  for (const row of rows) {
    await client.query("savepoint each");
    try {
      await upsertRows(client, target, [row]);
      await client.query("release savepoint each");
    } catch (error) {
      if (!isOfContent(error)) throw error;
      await client.query("rollback to savepoint each");
      await upsertRows(client, target, [{ ...row, data: null }]);
      await client.query(
        `update ${nameOf(target)} set error = 'Postgres cannot hold this record as jsonb.'
          where source = $1 and id = $2`,
        [row.source, row.id],
      );
    }
  }
}

/** Removes some rows of a source; resolves to how many. */
export async function deleteSource(
  client: pg.Client,
  target: TargetTable,
  { source, limit }: { source: string; limit: number },
): Promise<number> {
  const { rowCount } = await client.query(
    `delete from ${nameOf(target)} where (source, id) in (
       select source, id from ${nameOf(target)} where source = $1 limit $2)`,
    [source, limit],
  );
  return rowCount ?? 0;
}
