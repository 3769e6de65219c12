import { pauseDestinations } from "#destinations";
import { type MasterKey, masterKeyId, Secret } from "#foundation";
import { type Db, migrate, openDatabase, readMigrations } from "#foundation/db";
import {
  clearRemains,
  type DatabasePart,
  findContent,
  finishRestore,
  type LoadReport,
  loadTables,
  startRestore,
} from "#foundation/db/transfer";
import { renewFeeds } from "#records";
import { verifyMasterKey } from "#vault";
import type { RestoredKeys } from "./restored-keys.ts";

export interface Filling {
  readonly connectionString: string;
  readonly keys: RestoredKeys;
  /** Names of those that the source had. */
  readonly migrations: readonly string[];
  readonly parts: AsyncIterable<DatabasePart>;
  readonly quarantinedSince: Date | undefined;
  readonly tell: (progress: { readonly rows: number }) => void;
  /** The last step that may still fail. */
  readonly beforeEnd: () => Promise<void>;
}

/** Throws with the cure unless the database is empty, or holds what a restore that was cut off has left. */
export async function requireEmpty(connectionString: string): Promise<void> {
  if ((await findContent(connectionString)) !== "tables") return;
  throw new Error(
    "the database is not empty, and a restore replaces nothing; create an empty one (createdb), or set another SVC_DATA_DIR for the embedded one",
  );
}

/** Makes the schema that the source had, copies its rows, and brings the schema up to date. */
export async function fillDatabase(filling: Filling): Promise<LoadReport> {
  const { connectionString: url, parts, quarantinedSince } = filling;
  const all = await readMigrations();
  const unknown = filling.migrations.filter((name) => all.every((known) => known.name !== name));
  if (unknown.length > 0) {
    throw new Error(
      `the backup was made by a newer Jackfield (${unknown.join(", ")}): restore it with that version`,
    );
  }
  await startRestore(url);
  await clearRemains(url);
  await migrate(
    url,
    all.filter(({ name }) => filling.migrations.includes(name)),
  );
  const report = await loadTables(url, reportRows(parts, filling.tell));
  await migrate(url);
  await requireOpening(url, filling.keys);
  // The original continues, or has continued: its feeds know other changes.
  if (quarantinedSince !== undefined) {
    await withDatabase(url, renewFeeds);
    await withDatabase(url, pauseDestinations);
  }
  await filling.beforeEnd();
  await finishRestore(url, { quarantinedSince });
  return report;
}

async function* reportRows(
  parts: AsyncIterable<DatabasePart>,
  tell: Filling["tell"],
): AsyncGenerator<DatabasePart> {
  let rows = 0;
  for await (const part of parts) {
    yield part;
    if (part.kind !== "table-end") continue;
    rows += part.rows;
    tell({ rows });
  }
}

/** Throws when the keys do not open what was copied. */
async function requireOpening(connectionString: string, { texts }: RestoredKeys): Promise<void> {
  const ring = texts.map(toMasterKey);
  const problem = await withDatabase(
    connectionString,
    async (db) => await verifyMasterKey({ db, keys: { ring, dataKeys: new Map() } }),
  );
  if (problem !== undefined) throw new Error(problem);
}

async function withDatabase<Result>(
  connectionString: string,
  work: (db: Db) => Promise<Result>,
): Promise<Result> {
  await using database = openDatabase({
    connectionString,
    maxConnections: 1,
    pooled: false,
    onError: () => {}, // the query at hand fails as well, and tells why
  });
  return await work(database.db);
}

function toMasterKey(text: string): MasterKey {
  const key = Buffer.from(text, "base64");
  return { id: masterKeyId(key), key: new Secret(key) };
}
