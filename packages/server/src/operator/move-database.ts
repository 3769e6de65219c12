import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Config } from "#config";
import { SECOND, systemClock } from "#foundation";
import { listPendingMigrations, migrate, openDatabase } from "#foundation/db";
import { createDays, listDays } from "#foundation/db/day-partitions";
import { type LoadReport, moveRows, openDump, requireRestored } from "#foundation/db/transfer";
import { startEmbeddedPostgres } from "#foundation/embedded-postgres";
import { logTables } from "#logs";
import { enterQuarantine, findQuarantine } from "#quarantine";
import { requireUnused } from "./change-quarantine.ts";
import { fillDatabase, requireEmpty } from "./fill-database.ts";
import { planKeys } from "./restored-keys.ts";

export interface MoveRequest {
  readonly to: "server" | "embedded";
  readonly tell?: (progress: { readonly rows: number }) => void;
}

/**
 * Copies the installation of the embedded database to the empty one of SVC_DATABASE_URL, or back, while no platform
 * runs. The database that it leaves goes into quarantine. Cut off, the same call starts over.
 */
export async function moveDatabase(
  config: Config,
  { to, tell = () => {} }: MoveRequest,
): Promise<LoadReport> {
  const dataDir = resolve(config.dataDir);
  const server = config.databaseDirectUrl?.reveal() ?? config.databaseUrl?.reveal();
  if (server === undefined) {
    throw new Error("set SVC_DATABASE_URL to the server that is moved to, or from");
  }
  await using stack = new AsyncDisposableStack();
  // It locks the data folder, too: no platform starts on it meanwhile.
  const embedded = stack.use(await startEmbeddedPostgres({ dataDir, log: () => {} }));
  const [source, target] =
    to === "server" ? [embedded.connectionString, server] : [server, embedded.connectionString];
  await requireUnused(source);
  await requireEmpty(target);
  await requireCurrent(source);
  const keys = await planKeys({ config, dataDir, backedUp: [] });
  const { db } = stack.use(
    openDatabase({
      connectionString: source,
      maxConnections: 1,
      pooled: false,
      onError: () => {}, // the query at hand fails as well, and tells why
    }),
  );
  const quarantinedSince = await findQuarantine(db);
  const dump = stack.use(await openDump(source));
  return await fillDatabase({
    ...{ connectionString: target, keys, quarantinedSince, tell },
    migrations: dump.migrations,
    parts: dump.parts(),
    beforeEnd: async () => void (await enterQuarantine(db, systemClock.now())),
  });
}

async function requireCurrent(connectionString: string): Promise<void> {
  if ((await listPendingMigrations(connectionString)).length === 0) return;
  throw new Error("the database to move is of an earlier release: run `jackfield migrate` first");
}

export interface MoveLogsRequest {
  /** From the logs' own server to the first database again. */
  readonly back: boolean;
  readonly tell?: (progress: { readonly rows: number; readonly table: string }) => void;
}

export interface MoveLogsReport {
  readonly partitions: number;
  readonly rows: number;
}

/** A partition that somebody reads for long is tried again. */
const ATTEMPTS = 30;
const PAUSE_MS = SECOND;

/**
 * Moves the operations and messages that the first database has to that of SVC_LOGS_DATABASE_URL, or back, the newest
 * days first, while servers run that are set to write them there. Each partition is copied and then emptied: cut off,
 * the same call continues, and no row is there twice.
 */
export async function moveLogs(
  config: Config,
  { back, tell = () => {} }: MoveLogsRequest,
): Promise<MoveLogsReport> {
  const first = config.databaseDirectUrl?.reveal() ?? config.databaseUrl?.reveal();
  const logs = config.logsDatabaseUrl?.reveal();
  if (first === undefined || logs === undefined) {
    throw new Error("set SVC_DATABASE_URL and SVC_LOGS_DATABASE_URL to the two databases");
  }
  const [from, to] = back ? [logs, first] : [first, logs];
  await requireRestored(from);
  await requireRestored(to);
  if ((await listPendingMigrations(from)).length > 0) {
    throw new Error("the database to move from is of an earlier release: run `jackfield migrate`");
  }
  await migrate(to);
  await using source = open(from);
  await using target = open(to);
  let [partitions, rows] = [0, 0];
  for (const table of logTables) {
    const days = await listDays(source.db, table);
    const named = days.flatMap(({ day }) => (day === undefined ? [] : [day]));
    await createDays(target.db, table, named);
    const names = [...days.map(({ name }) => name).toReversed(), `${table.name}_default`];
    for (const partition of names) {
      const moved = await moveWhenFree({ from, to, table: table.name, partition });
      partitions += 1;
      rows += moved;
      tell({ rows, table: partition });
    }
  }
  return { partitions, rows };
}

function open(connectionString: string) {
  // The query at hand fails as well, and tells why.
  return openDatabase({ connectionString, maxConnections: 1, pooled: false, onError: () => {} });
}

async function moveWhenFree(move: Parameters<typeof moveRows>[0]): Promise<number> {
  for (let attempt = 1; ; attempt += 1) {
    const moved = await moveRows(move);
    if (moved !== "locked") return moved;
    if (attempt === ATTEMPTS) throw new Error(`${move.partition} is being read for too long`);
    await sleep(PAUSE_MS);
  }
}
