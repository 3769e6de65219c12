import { resolve } from "node:path";
import type { Config } from "#config";
import { systemClock } from "#platform";
import { listPendingMigrations, openDatabase } from "#platform/db";
import { type LoadReport, openDump } from "#platform/db/transfer";
import { startEmbeddedPostgres } from "#platform/embedded-postgres";
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
