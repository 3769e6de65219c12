import { resolve } from "node:path";
import type { Config } from "#config";
import { type Clock, type Keys, systemClock } from "#foundation";
import { type Db, guardWhereDistributed, openDatabase } from "#foundation/db";
import { hasDataKeys, type MasterKeySource, openMasterKeyRing, verifyMasterKey } from "#vault";
import { findOrStartDatabase } from "./find-or-start-database.ts";

/** Database and keys of an installation, for a command next to the server or instead of it. */
export interface OpenVault extends AsyncDisposable {
  readonly db: Db;
  readonly keys: Keys;
  readonly clock: Clock;
  readonly source: MasterKeySource;
  /** The database without a transaction pooler. */
  readonly directUrl: string;
}

/** Opens the vault whether the server runs or not; throws an Error that says what to do. */
export async function openVault(config: Config): Promise<OpenVault> {
  await using stack = new AsyncDisposableStack();
  const dataDir = resolve(config.dataDir);
  const connectionString =
    config.databaseUrl?.reveal() ?? (await findOrStartDatabase(stack, dataDir));
  const database = stack.use(
    openDatabase({
      connectionString,
      maxConnections: 2,
      pooled: config.databasePooled !== false,
      onError: () => {}, // the query at hand fails as well, and tells why
    }),
  );
  const { db } = database;
  await guardWhereDistributed(database);
  if (!(await hasDataKeys(db))) {
    throw new Error("this database holds nothing encrypted yet: start the server once");
  }
  const source = {
    configured: config.encryptionKey,
    previous: config.encryptionKeyPrevious,
    dataDir,
  };
  const ring = await openMasterKeyRing({ ...source, mayCreate: false });
  const keys: Keys = { ring, dataKeys: new Map() };
  const problem = await verifyMasterKey({ db, keys });
  if (problem !== undefined) throw new Error(problem);
  const opened = stack.move();
  return {
    db,
    keys,
    source,
    directUrl: config.databaseDirectUrl?.reveal() ?? connectionString,
    clock: systemClock,
    [Symbol.asyncDispose]: async () => await opened.disposeAsync(),
  };
}
