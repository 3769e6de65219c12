import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { Config } from "#config";
import { type Clock, type Keys, systemClock } from "#platform";
import { type Db, openDatabase } from "#platform/db";
import {
  DataFolderInUseError,
  findRunningDatabase,
  startEmbeddedPostgres,
} from "#platform/embedded-postgres";
import { hasDataKeys, type MasterKeySource, openMasterKeyRing, verifyMasterKey } from "#vault";

/** Database and keys of an installation, for a command beside the platform or instead of it. */
export interface OpenVault extends AsyncDisposable {
  readonly db: Db;
  readonly keys: Keys;
  readonly clock: Clock;
  readonly source: MasterKeySource;
}

/** Opens the vault whether the platform runs or not; throws an Error that says what to do. */
export async function openVault(config: Config): Promise<OpenVault> {
  await using stack = new AsyncDisposableStack();
  const dataDir = resolve(config.dataDir);
  const { db } = stack.use(
    openDatabase({
      connectionString: config.databaseUrl?.reveal() ?? (await findOrStart(stack, dataDir)),
      maxConnections: 2,
      pooled: config.databasePooled !== false,
      onError: () => {}, // the query at hand fails as well, and tells why
    }),
  );
  if (!(await hasDataKeys(db))) {
    throw new Error("this database holds nothing encrypted yet: start the platform once");
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
    clock: systemClock,
    [Symbol.asyncDispose]: async () => await opened.disposeAsync(),
  };
}

async function findOrStart(stack: AsyncDisposableStack, dataDir: string): Promise<string> {
  if (!existsSync(dataDir)) {
    throw new Error(
      `there is no data folder ${dataDir}: run this where the platform is started, or set SVC_DATA_DIR or SVC_DATABASE_URL`,
    );
  }
  try {
    return stack.use(await startEmbeddedPostgres({ dataDir, log: () => {} })).connectionString;
  } catch (error) {
    if (!(error instanceof DataFolderInUseError)) throw error;
    const running = await findRunningDatabase(dataDir);
    if (running === undefined) throw error;
    return running;
  }
}
