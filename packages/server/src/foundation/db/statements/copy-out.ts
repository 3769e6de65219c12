import { CompiledQuery, sql } from "kysely";
import pg from "pg";
import type { Db } from "../owned-db.ts";

const END = ") to stdout (format binary)";

// `PGCOPY\n\xff\r\n\0`, flags, length of the extension (PostgreSQL manual, COPY, binary format).
const SIGNATURE_BYTES = 11;
const HEADER_BYTES = SIGNATURE_BYTES + 8;

/**
 * Rows of a query in Postgres' binary format, which spares large values the way through hexadecimal text. They
 * come as they arrive, some at a time, so that work on them continues while Postgres sends the rest; a slow
 * caller does not hold up the connection. `query` takes no parameters: numbers are written into it, texts
 * through `literal`; `settings` are SQL commands before it, in the same transaction: in the same message too, unless they are to
 * come `apart`. Each row is the copy of one tuple: a count of fields (int16), then for each its length
 * (int32, -1 for null) and bytes.
 */
export async function* copyRows(
  db: Db,
  query: string,
  { settings = "", isApart = false } = {},
): AsyncGenerator<Buffer[], undefined, void> {
  const copy = `copy (${query}${END}`;
  let rows: Buffer[] = [];
  let change = Promise.withResolvers<void>();
  let isOver = false;
  const take = (row: Buffer): void => {
    rows.push(row);
    change.resolve();
  };
  const send = async (db: Db, text: string): Promise<void> => {
    await db.withoutPlugins().executeQuery(CompiledQuery.raw(text, [take]));
  };
  const sendApart = async (): Promise<void> => {
    const work = async (db: Db): Promise<void> => {
      await sql.raw(settings).execute(db);
      await send(db, copy);
    };
    await (db.isTransaction ? work(db) : db.transaction().execute(work));
  };
  const copying = (
    isApart && settings !== "" ? sendApart() : send(db, `${settings}${copy}`)
  ).finally(() => {
    isOver = true;
    change.resolve();
  });
  // A caller that stops early hears no more of it.
  copying.catch(() => {});
  while (!isOver) {
    await change.promise;
    change = Promise.withResolvers();
    if (isOver) break;
    const arrived = rows;
    rows = [];
    yield arrived;
  }
  await copying;
  if (rows.length > 0) yield rows;
}

/** A text as it is written into a query. */
export function literal(text: string): string {
  return pg.escapeLiteral(text);
}

export function isCopyOut(query: unknown): query is string {
  return typeof query === "string" && query.endsWith(END);
}

interface CopyResult {
  readonly command: "COPY";
  readonly rowCount: number;
  readonly rows: readonly never[];
}

interface CopyClient {
  query(query: CopyOut): unknown;
}

type TakeRow = (row: Buffer) => void;

/** `values` hold whom `copyRows` names to take the rows. */
export async function runCopyOut(
  client: CopyClient,
  text: string,
  values: readonly unknown[],
): Promise<CopyResult> {
  const [take] = values;
  if (!isTakeRow(take)) throw new Error("a copy whose rows nobody takes");
  return await new Promise((resolve, reject) => {
    client.query(new CopyOut(text, take, { resolve, reject }));
  });
}

function isTakeRow(value: unknown): value is TakeRow {
  return typeof value === "function";
}

/** A query as pg's client drives it; pg has none of its own for COPY. */
class CopyOut {
  /** Read by whom it is handed to. */
  readonly text: string;
  readonly #done: { resolve(result: CopyResult): void; reject(error: Error): void };
  readonly #take: TakeRow;
  #count = 0;
  #isBegun = false;
  /** Set by pg when it times queries out. */
  callback: (() => void) | undefined;

  constructor(
    text: string,
    take: TakeRow,
    done: { resolve(result: CopyResult): void; reject(error: Error): void },
  ) {
    this.text = text;
    this.#take = take;
    this.#done = done;
  }

  submit(connection: { query(text: string): void }): void {
    connection.query(this.text);
  }

  /** The server sends a message per row, the header with the first one. */
  handleCopyData({ chunk }: { chunk: Buffer }): void {
    const row = this.#isBegun ? chunk : withoutHeader(chunk);
    this.#isBegun = true;
    const isTrailer = row.byteLength < 2 || row.readInt16BE(0) === -1;
    if (isTrailer) return;
    this.#count += 1;
    // pg reuses the memory of what it hands out.
    this.#take(Buffer.from(row));
  }

  handleError(error: Error): void {
    this.#done.reject(error);
  }

  handleReadyForQuery(): void {
    this.#done.resolve({ command: "COPY", rowCount: this.#count, rows: [] });
  }

  handleCommandComplete(): void {}
  handleRowDescription(): void {}
  handleDataRow(): void {}
  handleEmptyQuery(): void {}
  handlePortalSuspended(): void {}
}

function withoutHeader(chunk: Buffer): Buffer {
  const extensionBytes = chunk.readInt32BE(SIGNATURE_BYTES + 4);
  return chunk.subarray(HEADER_BYTES + extensionBytes);
}
