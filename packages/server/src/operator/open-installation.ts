import { resolve } from "node:path";
import type { Config } from "#config";
import { listEnvironments } from "#environments";
import { type SystemContext, systemClock } from "#foundation";
import { guardWhereDistributed, openDatabase } from "#foundation/db";
import { openMasterKeyRing, verifyMasterKey } from "#vault";
import { findOrStartDatabase } from "./find-or-start-database.ts";

/** The database and the keys of an installation, whether its server runs or not; throws an Error that says what to do. */
export async function openInstallation(
  stack: AsyncDisposableStack,
  config: Config,
): Promise<Pick<SystemContext, "db" | "clock" | "keys">> {
  const connectionString =
    config.databaseUrl?.reveal() ?? (await findOrStartDatabase(stack, resolve(config.dataDir)));
  const database = stack.use(
    openDatabase({
      connectionString,
      maxConnections: 1,
      pooled: config.databasePooled !== false,
      onError: () => {}, // the query at hand fails as well, and tells why
    }),
  );
  const { db } = database;
  await guardWhereDistributed(database);
  try {
    await listEnvironments(db, "00000000-0000-0000-0000-000000000000");
  } catch (error) {
    throw hasCode(error, "42P01") ? notStartedYet() : error;
  }
  const ring = await openMasterKeyRing({
    configured: config.encryptionKey,
    previous: config.encryptionKeyPrevious,
    dataDir: resolve(config.dataDir),
    mayCreate: false,
  });
  const ctx = { db, clock: systemClock, keys: { ring, dataKeys: new Map() } };
  const problem = await verifyMasterKey(ctx);
  if (problem !== undefined) throw new Error(problem);
  return ctx;
}

export function notStartedYet(): Error {
  return new Error(
    "this database holds no installation yet: start the server once; its first start prints the first keys",
  );
}

export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
