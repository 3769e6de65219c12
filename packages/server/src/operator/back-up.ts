import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Writable } from "node:stream";
import {
  type BackupItem,
  type FileItem,
  requireClosingKeys,
  type SealingKeys,
  writeBackup,
} from "#backup";
import type { Config } from "#config";
import { version } from "#foundation";
import { listPendingMigrations } from "#foundation/db";
import { type DatabasePart, type DumpSource, openDump } from "#foundation/db/transfer";
import { logTables } from "#logs";
import { type OpenVault, openVault } from "./open-vault.ts";

export interface BackupRequest extends SealingKeys {
  readonly target: Writable;
  /** Whether the master keys go into the backup; without them it opens only next to a copy of them. */
  readonly withKey: boolean;
  /** Leaves out what is in the database of SVC_LOGS_DATABASE_URL, as while that is away. */
  readonly withoutLogs?: boolean;
  readonly tell?: (progress: BackupReport) => void;
}

export interface BackupReport {
  readonly tables: number;
  readonly rows: number;
}

/**
 * Writes database, master keys and spool as they are at one moment, while the server runs or is stopped, in
 * bounded memory. Throws an Error that says what to do; the content of `target` is then useless.
 */
export async function backUp(config: Config, request: BackupRequest): Promise<BackupReport> {
  requireClosingKeys(request);
  await using vault = await openVault(config);
  // One of an earlier release is as welcome as its own; of a later one, nothing here is known.
  await listPendingMigrations(vault.directUrl);
  let report: BackupReport = { tables: 0, rows: 0 };
  const note = (progress: BackupReport) => {
    report = progress;
    request.tell?.(progress);
  };
  // Without the log a backup is not whole: it fails rather than lack it unseen.
  const logsUrl = request.withoutLogs === true ? undefined : config.logsDatabaseUrl?.reveal();
  await writeBackup(listItems(vault, { ...request, note, logsUrl }), request, request.target);
  return report;
}

interface Listing {
  readonly withKey: boolean;
  readonly note: (progress: BackupReport) => void;
  /** Where operations and messages are, when they are not in the first database. */
  readonly logsUrl: string | undefined;
}

async function* listItems(
  { keys, source, directUrl, clock }: OpenVault,
  { withKey, note, logsUrl }: Listing,
): AsyncGenerator<BackupItem> {
  // An answer is in the spool until the database has it: read before and after, it cannot slip between.
  const before = await readSpool(source.dataDir);
  await using dump = await openDump(directUrl);
  await using logs = logsUrl === undefined ? undefined : await openDump(logsUrl);
  const after = await readSpool(source.dataDir);
  const { migrations, postgresVersion } = dump;
  const madeAt = clock.now().toISOString();
  yield {
    kind: "header",
    format: 1,
    version,
    madeAt,
    postgresVersion,
    migrations: [...migrations],
  };
  const ring = withKey ? keys.ring : [];
  yield { kind: "keys", keys: ring.map(({ key }) => key.reveal().toString("base64")) };
  yield* before;
  yield* after;
  let [tables, rows] = [0, 0];
  for await (const part of listParts(dump, logs)) {
    yield part;
    if (part.kind !== "table-end") continue;
    tables += 1;
    rows += part.rows;
    note({ tables, rows });
  }
  yield { kind: "end", tables, rows };
}

/** What was logged before the log got a server of its own may still be in the first database. */
async function* listParts(
  dump: DumpSource,
  logs: DumpSource | undefined,
): AsyncGenerator<DatabasePart> {
  yield* dump.parts();
  if (logs !== undefined) yield* logs.parts(logTables.map(({ name }) => name));
}

/** Files that go while they are listed have reached the database. */
async function readSpool(dataDir: string): Promise<FileItem[]> {
  const folder = join(dataDir, "spool");
  const names = (await readdir(folder).catch(noneWhenMissing)) ?? [];
  const whole = names.filter((name) => !name.endsWith(".tmp"));
  const files: FileItem[] = [];
  for (const name of whole) {
    const content = await readFile(join(folder, name), "base64").catch(noneWhenMissing);
    if (content !== undefined) files.push({ kind: "file", place: "spool", name, content });
  }
  return files;
}

function noneWhenMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}
