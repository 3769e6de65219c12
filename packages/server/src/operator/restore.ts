import { mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import {
  type BackupItem,
  type Inspection,
  inspectItems,
  isDatabasePart,
  type OpeningKeys,
  readBackup,
} from "#backup";
import type { Config } from "#config";
import { systemClock } from "#foundation";
import type { DatabasePart } from "#foundation/db/transfer";
import { startEmbeddedPostgres } from "#foundation/embedded-postgres";
import { fillDatabase, requireEmpty } from "./fill-database.ts";
import { keepKeyFile, planKeys } from "./restored-keys.ts";

export interface RestoreRequest extends OpeningKeys {
  readonly path: string;
  readonly tell?: (text: string) => void;
}

export interface RestoreReport {
  /** When the backup was made (ISO), and by which version. */
  readonly madeAt: string;
  readonly version: string;
  readonly tables: number;
  readonly rows: number;
  readonly skipped: readonly string[];
}

/**
 * Puts a backup into the empty database that the settings name, in quarantine. The whole file is read and proved
 * first: one that is cut off or altered changes nothing. Cut off later, the same call starts over, and until it has
 * ended no server starts on the database.
 */
export async function restore(config: Config, request: RestoreRequest): Promise<RestoreReport> {
  const { path, tell = () => {} } = request;
  const dataDir = resolve(config.dataDir);
  tell("reading the whole backup");
  const inspection = await inspectItems(readBackup(path, request));
  const keys = await planKeys({ config, dataDir, backedUp: inspection.keys });
  await using stack = new AsyncDisposableStack();
  const connectionString =
    config.databaseDirectUrl?.reveal() ??
    config.databaseUrl?.reveal() ??
    stack.use(await startEmbeddedPostgres({ dataDir, log: () => {} })).connectionString;
  await requireEmpty(connectionString);
  const { skipped } = await fillDatabase({
    connectionString,
    keys,
    migrations: inspection.header.migrations,
    parts: partsOf(readBackup(path, request)),
    quarantinedSince: systemClock.now(),
    tell: ({ rows }) => tell(`${rows} of ${inspection.rows} rows`),
    beforeEnd: async () => await putFiles(dataDir, keys, inspection),
  });
  const { header, tables, rows } = inspection;
  return { madeAt: header.madeAt, version: header.version, tables, rows, skipped };
}

async function* partsOf(items: AsyncIterable<BackupItem>): AsyncGenerator<DatabasePart> {
  for await (const item of items) if (isDatabasePart(item)) yield item;
}

async function putFiles(
  dataDir: string,
  keys: Parameters<typeof keepKeyFile>[1],
  { files }: Inspection,
): Promise<void> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  await keepKeyFile(dataDir, keys);
  const spoolDir = join(dataDir, "spool");
  if (files.length > 0) await mkdir(spoolDir, { recursive: true, mode: 0o700 });
  for (const { name, content } of files) {
    await writeFile(join(spoolDir, name), content, { encoding: "base64", mode: 0o600 });
  }
}
