import { resolve } from "node:path";
import type { Config } from "#config";
import { pauseDestinations } from "#destinations";
import { systemClock } from "#foundation";
import { findUsers, openDatabase } from "#foundation/db";
import { enterQuarantine, leaveQuarantine } from "#quarantine";
import { renewFeeds } from "#records";
import { findOrStartDatabase } from "./find-or-start-database.ts";
import { migrateDatabase } from "./migrate-database.ts";

/**
 * Puts the installation into quarantine before its first start, which holds for every process started from then on;
 * or ends it, which running processes notice within two seconds. False when nothing had to change. Throws an Error
 * with the cure when processes that know nothing of a new quarantine work on the database.
 */
export async function changeQuarantine(config: Config, wanted: "on" | "off"): Promise<boolean> {
  await using stack = new AsyncDisposableStack();
  const connectionString =
    config.databaseDirectUrl?.reveal() ??
    config.databaseUrl?.reveal() ??
    (await findOrStartDatabase(stack, resolve(config.dataDir)));
  if (wanted === "on") {
    await requireUnused(connectionString);
    // A copy of an earlier release's database has no place for the note yet.
    await migrateDatabase(config, { dryRun: false });
  }
  const { db } = stack.use(
    openDatabase({
      connectionString,
      maxConnections: 1,
      pooled: config.databasePooled !== false,
      onError: () => {}, // the query at hand fails as well, and tells why
    }),
  );
  if (wanted === "off") return await leaveQuarantine(db);
  await renewFeeds(db);
  await pauseDestinations(db);
  return await enterQuarantine(db, systemClock.now());
}

/** Throws while a server has connections to the database. */
export async function requireUnused(connectionString: string): Promise<void> {
  const users = await findUsers(connectionString);
  if (users === 0) return;
  throw new Error(
    `a server works on this database (${users} connections): stop all of its processes first`,
  );
}
