import pg from "pg";
import { to as copyTo } from "pg-copy-streams";
import { APPLICATION_NAME } from "../find-users.ts";
import { listPartitions, listSequences, listTables } from "./catalog.ts";
import type { DatabasePart, TableHead } from "./database-part.ts";

/** Rows travel in pieces of about this size. */
const PIECE_BYTES = 256 * 1024;
const PARTITIONS_AT_ONCE = 500;
/** Each table that was read is locked until its transaction ends, and a server has room for some thousand locks. */
const TABLES_AT_ONCE = 100;
const UNDEFINED_TABLE = "42P01";

export interface DumpSource extends AsyncDisposable {
  /** Migrations that the database has, in order. */
  readonly migrations: readonly string[];
  /** `server_version` of the database. */
  readonly postgresVersion: string;
  /** All that the tables held when the source was opened; of these tables and their partitions alone, if given. */
  parts(tables?: readonly string[]): AsyncGenerator<DatabasePart>;
}

/**
 * Holds on to the state of a database at this moment, while others write on. `connectionString` must not lead
 * through a transaction pooler.
 */
export async function openDump(connectionString: string): Promise<DumpSource> {
  await using stack = new AsyncDisposableStack();
  const keeper = await connect(stack, connectionString);
  await keeper.query("begin isolation level repeatable read read only");
  const { rows } = await keeper.query<{ snapshot: string }>(
    "select pg_export_snapshot() as snapshot",
  );
  const snapshot = rows[0]?.snapshot ?? "";
  const { rows: names } = await keeper.query<{ name: string }>(
    "select name from public.schema_migrations order by name",
  );
  const { rows: versions } = await keeper.query<{ version: string }>(
    "select current_setting('server_version') as version",
  );
  const reader = await connect(stack, connectionString);
  const opened = stack.move();
  return {
    migrations: names.map(({ name }) => name),
    postgresVersion: versions[0]?.version ?? "",
    parts: (tables) => dump(reader, snapshot, tables),
    [Symbol.asyncDispose]: async () => await opened.disposeAsync(),
  };
}

async function connect(stack: AsyncDisposableStack, connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString,
    application_name: `${APPLICATION_NAME} backup`,
  });
  await client.connect();
  stack.defer(async () => await client.end());
  // What is under way then fails as well, and tells why.
  client.on("error", () => {});
  await client.query("set statement_timeout = 0; set idle_in_transaction_session_timeout = 0");
  return client;
}

async function* dump(
  client: pg.Client,
  snapshot: string,
  wanted: readonly string[] | undefined,
): AsyncGenerator<DatabasePart> {
  await beginAt(client, snapshot);
  const all = await listPartitions(client);
  const partitions = all.filter(({ parent }) => wanted?.includes(parent) ?? true);
  const names = new Set(wanted?.concat(partitions.map(({ name }) => name)));
  const tables = (await listTables(client)).filter(
    ({ name }) => wanted === undefined || names.has(name),
  );
  for (let at = 0; at < partitions.length; at += PARTITIONS_AT_ONCE) {
    yield { kind: "partitions", partitions: partitions.slice(at, at + PARTITIONS_AT_ONCE) };
  }
  const isPartition = new Set(partitions.map(({ schema, name }) => `${schema}.${name}`));
  for (const [index, table] of tables.entries()) {
    if (index % TABLES_AT_ONCE === 0) await beginAt(client, snapshot);
    try {
      yield* dumpTable(client, table);
    } catch (error) {
      const isGone = error instanceof pg.DatabaseError && error.code === UNDEFINED_TABLE;
      if (!isGone || !isPartition.has(`${table.schema}.${table.name}`)) throw error;
      // Dropped since: a day of logs that is too old, or the records of an environment that was deleted.
      await beginAt(client, snapshot);
    }
  }
  // Not before: a sequence is not part of the snapshot, and must be past every number in the rows.
  if (wanted === undefined) yield { kind: "sequences", sequences: await listSequences(client) };
  await client.query("commit");
}

async function beginAt(client: pg.Client, snapshot: string): Promise<void> {
  await client.query("rollback");
  await client.query("begin isolation level repeatable read read only");
  await client.query(`set transaction snapshot ${pg.escapeLiteral(snapshot)}`);
}

async function* dumpTable(client: pg.Client, table: TableHead): AsyncGenerator<DatabasePart> {
  const copying = client.query(
    copyTo(`copy ${quote(table)} (${quoteColumns(table)}) to stdout (format binary)`),
  );
  let isBegun = false;
  let pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of copying) {
    if (!isBegun) yield { kind: "table", ...table };
    isBegun = true;
    pieces.push(piece);
    bytes += piece.byteLength;
    if (bytes < PIECE_BYTES) continue;
    yield { kind: "rows", bytes: Buffer.concat(pieces) };
    pieces = [];
    bytes = 0;
  }
  if (bytes > 0) yield { kind: "rows", bytes: Buffer.concat(pieces) };
  yield { kind: "table-end", rows: copying.rowCount };
}

export function quote({ schema, name }: Pick<TableHead, "schema" | "name">): string {
  return `${pg.escapeIdentifier(schema)}.${pg.escapeIdentifier(name)}`;
}

export function quoteColumns({ columns }: Pick<TableHead, "columns">): string {
  return columns.map((column) => pg.escapeIdentifier(column)).join(", ");
}
