import { once } from "node:events";
import { finished } from "node:stream/promises";
import pg from "pg";
import { type CopyStreamQuery, from as copyFrom } from "pg-copy-streams";
import { APPLICATION_NAME } from "../find-users.ts";
import type { DatabasePart, Partition, SequenceValue, TableHead } from "./database-part.ts";
import { quote, quoteColumns } from "./dump-tables.ts";

/** Each locks its parent and all of its indexes: together they must fit into the lock table of a usual server. */
const PARTITIONS_AT_ONCE = 50;

export interface LoadReport {
  readonly tables: number;
  readonly rows: number;
  /** Tables that the schema does not have: they belong to somebody else. */
  readonly skipped: readonly string[];
}

/** Puts parts into a database whose schema is there and whose tables are empty. Each table is a transaction. */
export async function loadTables(
  connectionString: string,
  parts: AsyncIterable<DatabasePart>,
): Promise<LoadReport> {
  const client = new pg.Client({
    connectionString,
    application_name: `${APPLICATION_NAME} restore`,
  });
  await client.connect();
  client.on("error", () => {}); // what is under way fails as well, and tells why
  try {
    await client.query("set statement_timeout = 0; set synchronous_commit = off");
    const loader = new TableLoader(client);
    for await (const part of parts) await loader.take(part);
    return loader;
  } finally {
    await client.end();
  }
}

interface Copying {
  readonly table: TableHead;
  readonly stream: CopyStreamQuery | undefined;
  /** It has rows of another source, which may be the same ones: those that are there stay. */
  readonly isSecond: boolean;
}

class TableLoader implements LoadReport {
  tables = 0;
  rows = 0;
  readonly skipped: string[] = [];
  readonly #loaded = new Set<string>();
  readonly #client: pg.Client;
  #copying: Copying | undefined;

  constructor(client: pg.Client) {
    this.#client = client;
  }

  async take(part: DatabasePart): Promise<void> {
    switch (part.kind) {
      case "partitions":
        return await createPartitions(this.#client, part.partitions);
      case "table":
        return await this.#begin(part);
      case "rows":
        return await this.#write(part.bytes);
      case "table-end":
        return await this.#end(part.rows);
      case "sequences":
        for (const sequence of part.sequences) await setSequence(this.#client, sequence);
    }
  }

  async #begin(table: TableHead): Promise<void> {
    if (!(await this.#isKnown(table))) {
      this.skipped.push(`${table.schema}.${table.name}`);
      this.#copying = { table, stream: undefined, isSecond: false };
      return;
    }
    await this.#client.query("begin");
    // What triggers would write is among the rows already.
    await this.#client.query(`alter table ${quote(table)} disable trigger user`);
    const isSecond = this.#loaded.has(quote(table));
    this.#loaded.add(quote(table));
    if (isSecond) {
      await this.#client.query(`create temp table again (like ${quote(table)}) on commit drop`);
    }
    const target = isSecond ? "again" : quote(table);
    const text = `copy ${target} (${quoteColumns(table)}) from stdin (format binary)`;
    const stream = this.#client.query(copyFrom(text));
    // Every write and the end wait for it.
    stream.on("error", () => {});
    this.#copying = { table, stream, isSecond };
  }

  async #write(bytes: Buffer): Promise<void> {
    const stream = this.#copying?.stream;
    if (stream === undefined) return;
    if (stream.errored !== null) throw stream.errored;
    if (!stream.write(bytes)) await once(stream, "drain");
  }

  async #end(rows: number): Promise<void> {
    const { table, stream, isSecond } = this.#copying ?? {};
    this.#copying = undefined;
    if (table === undefined || stream === undefined) return;
    const ended = finished(stream);
    stream.end();
    await ended;
    if (stream.rowCount !== rows) {
      throw new Error(`${table.name} took ${stream.rowCount} of ${rows} rows`);
    }
    if (isSecond === true) {
      const columns = quoteColumns(table);
      await this.#client.query(
        `insert into ${quote(table)} (${columns}) select ${columns} from again on conflict do nothing`,
      );
    }
    await this.#client.query(`alter table ${quote(table)} enable trigger user`);
    await this.#client.query("commit");
    this.tables += 1;
    this.rows += rows;
  }

  async #isKnown({ schema, name, columns }: TableHead): Promise<boolean> {
    const { rows } = await this.#client.query<{ name: string }>(
      `select attname::text as name from pg_attribute
       where attrelid = to_regclass($1) and attnum > 0 and not attisdropped`,
      [quote({ schema, name })],
    );
    if (rows.length === 0) return false;
    const known = new Set(rows.map((row) => row.name));
    const unknown = columns.filter((column) => !known.has(column));
    if (unknown.length === 0) return true;
    throw new Error(
      `the table ${schema}.${name} of the backup has columns that this version does not know: ${unknown.join(", ")}. Restore it with the version that made it.`,
    );
  }
}

async function setSequence(
  client: pg.Client,
  { schema, name, value }: SequenceValue,
): Promise<void> {
  await client.query("select setval(to_regclass($1), $2) where to_regclass($1) is not null", [
    quote({ schema, name }),
    value,
  ]);
}

/** Makes the partitions that the database lacks, parents before children. */
async function createPartitions(
  client: pg.Client,
  partitions: readonly Partition[],
): Promise<void> {
  for (let at = 0; at < partitions.length; at += PARTITIONS_AT_ONCE) {
    await client.query("begin");
    for (const partition of partitions.slice(at, at + PARTITIONS_AT_ONCE)) {
      await client.query(toStatement(partition));
    }
    await client.query("commit");
  }
}

function toStatement({ schema, name, parent, bound, key, options }: Partition): string {
  const partitioned = key === null ? "" : ` partition by ${key}`;
  const parameters = options === null ? "" : ` with (${options.map(toParameter).join(", ")})`;
  return `create table if not exists ${quote({ schema, name })}
    partition of ${quote({ schema, name: parent })} ${bound}${partitioned}${parameters}`;
}

function toParameter(option: string): string {
  const [name = "", value = ""] = option.split("=", 2);
  return `${pg.escapeIdentifier(name)} = ${pg.escapeLiteral(value)}`;
}
