import { pipeline } from "node:stream/promises";
import pg from "pg";
import { from as copyFrom, to as copyTo } from "pg-copy-streams";
import { APPLICATION_NAME } from "../find-users.ts";

const LOCK_TIMEOUT = "5s";
const LOCK_NOT_AVAILABLE = "55P03";

export interface RowMove {
  /** Addresses of two databases with the same schema. */
  readonly from: string;
  readonly to: string;
  /** A partitioned table with an id and a time, and the partition of it that is emptied. */
  readonly table: string;
  readonly partition: string;
}

/**
 * Moves the rows of one partition: they are in the other database before they go here. Rows that are there already
 * stay, so that it can be repeated. Answers how many there were; `locked`: somebody holds the partition.
 */
export async function moveRows({
  from,
  to,
  table,
  partition,
}: RowMove): Promise<number | "locked"> {
  await using stack = new AsyncDisposableStack();
  const source = await connect(stack, from);
  const target = await connect(stack, to);
  const [here, there] = [pg.escapeIdentifier(partition), pg.escapeIdentifier(table)];
  try {
    await source.query(`begin; set local lock_timeout = '${LOCK_TIMEOUT}'`);
    // Who writes waits; who reads does not until the rows are in the other database.
    await source.query(`lock table ${here} in share row exclusive mode`);
    const columns = await listColumns(source, partition);
    await target.query("begin; set local synchronous_commit = on");
    await target.query(`create temp table moved (like ${there}) on commit drop`);
    const copying = source.query(copyTo(`copy ${here} (${columns}) to stdout (format binary)`));
    const filling = target.query(copyFrom(`copy moved (${columns}) from stdin (format binary)`));
    await pipeline(copying, filling);
    await target.query(
      `insert into ${there} (${columns}) select ${columns} from moved on conflict do nothing`,
    );
    await target.query("commit");
    await source.query(`truncate table only ${here}`);
    await source.query("commit");
    return filling.rowCount;
  } catch (error) {
    await Promise.allSettled([source.query("rollback"), target.query("rollback")]);
    if (error instanceof pg.DatabaseError && error.code === LOCK_NOT_AVAILABLE) return "locked";
    throw error;
  }
}

async function connect(stack: AsyncDisposableStack, connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString, application_name: `${APPLICATION_NAME} move` });
  // What is under way then fails as well, and tells why.
  client.on("error", () => {});
  await client.connect();
  stack.defer(async () => await client.end());
  await client.query("set statement_timeout = 0; set idle_in_transaction_session_timeout = 0");
  return client;
}

async function listColumns(client: pg.Client, table: string): Promise<string> {
  const { rows } = await client.query<{ name: string }>(
    `select attname::text as name from pg_attribute
      where attrelid = to_regclass($1) and attnum > 0 and not attisdropped and attgenerated = ''
      order by attnum`,
    [pg.escapeIdentifier(table)],
  );
  return rows.map(({ name }) => pg.escapeIdentifier(name)).join(", ");
}
