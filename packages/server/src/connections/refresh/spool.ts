import { mkdir, open, readdir, readFile, rename, rm, stat, unlink } from "node:fs/promises";
import { join } from "node:path";
import type { Minted } from "#auth-modes";
import type { ConnectionUuid, EnvironmentId, OperationId, SystemContext } from "#foundation";
import { createSealer, open as unseal } from "#vault";

type SpoolContext = Pick<SystemContext, "db" | "clock" | "keys" | "settings">;

/** Whose answer it is: the credentials of this version were sent to the provider. */
export interface SpoolKey {
  readonly environmentId: EnvironmentId;
  readonly uuid: ConnectionUuid;
  readonly version: number;
}

/** A token answer on its way into the database. */
export interface SpoolEntry extends SpoolKey {
  readonly fence: number;
  readonly issuedAt: Date;
  readonly minted: Minted;
  readonly operationId: OperationId;
  /** How often the refresh token is to be used at least. */
  readonly idleMs: number;
}

export interface Spool {
  /** Resolves when the entry would survive a power failure. */
  write(entry: SpoolEntry): Promise<void>;
}

/**
 * Prepares all that writing needs while the database still answers: an old refresh token may be worth
 * nothing by the time the answer comes.
 */
export async function prepareSpool(
  ctx: SpoolContext,
  environmentId: EnvironmentId,
): Promise<Spool> {
  const { spoolDir } = ctx.settings;
  const sealer = await createSealer(ctx, environmentId);
  return {
    async write(entry) {
      const path = join(spoolDir, nameOf(entry));
      const partial = `${path}.${entry.fence}.tmp`;
      const text = JSON.stringify({
        fence: entry.fence,
        issuedAt: entry.issuedAt,
        minted: entry.minted,
        operationId: entry.operationId,
        idleMs: entry.idleMs,
      });
      const sealed = await sealer(aadOf(entry), Buffer.from(text));
      try {
        await writeDurably(partial, sealed);
      } catch (error) {
        if (!isMissing(error)) throw error;
        await mkdir(spoolDir, { recursive: true, mode: 0o700 });
        await writeDurably(partial, sealed);
      }
      await rename(partial, path);
      await syncFolder(spoolDir);
    },
  };
}

async function writeDurably(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, "w", 0o600);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** The entry, or undefined when there is none; throws when it does not open. */
export async function readEntry(ctx: SpoolContext, key: SpoolKey): Promise<SpoolEntry | undefined> {
  const sealed = await readIfPresent(join(ctx.settings.spoolDir, nameOf(key)));
  if (sealed === undefined) return undefined;
  const { environmentId } = key;
  const text = await unseal(ctx, { environmentId, ...aadOf(key) }, sealed);
  return { ...key, ...asStored(JSON.parse(text.toString("utf8"))) };
}

async function readIfPresent(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

export async function removeEntry(ctx: SpoolContext, key: SpoolKey): Promise<void> {
  try {
    await unlink(join(ctx.settings.spoolDir, nameOf(key)));
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

/** Entries that are at least so old: younger ones belong to attempts that run. */
export async function listEntries(
  { settings: { spoolDir } }: SpoolContext,
  { minAgeMs }: { minAgeMs: number },
): Promise<SpoolKey[]> {
  const found: SpoolKey[] = [];
  for (const name of await listNames(spoolDir)) {
    const key = toKey(name);
    if (key !== undefined && (await ageOf(join(spoolDir, name))) >= minAgeMs) found.push(key);
  }
  return found;
}

/** Deletes what lies in the folder for longer than that: halves of files, entries that no key opens. */
export async function sweepSpool(
  { settings: { spoolDir } }: SpoolContext,
  { minAgeMs }: { minAgeMs: number },
): Promise<number> {
  let deleted = 0;
  for (const name of await listNames(spoolDir)) {
    const path = join(spoolDir, name);
    if ((await ageOf(path)) < minAgeMs) continue;
    await rm(path, { force: true });
    deleted += 1;
  }
  return deleted;
}

async function listNames(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/** By the clock of the file system, which stamped the file. */
async function ageOf(path: string): Promise<number> {
  try {
    // Never below 0: times of files are finer than the clock, and a clock may be set back.
    return Math.max(0, Date.now() - (await stat(path)).mtimeMs);
  } catch (error) {
    if (isMissing(error)) return -Infinity;
    throw error;
  }
}

function nameOf({ environmentId, uuid, version }: SpoolKey): string {
  return `${environmentId}.${uuid}.${version}`;
}

function toKey(name: string): SpoolKey | undefined {
  const [, environmentId, uuid, version] =
    /^([\da-f-]{36})\.([\da-f-]{36})\.(\d+)$/.exec(name) ?? [];
  if (environmentId === undefined || uuid === undefined) return undefined;
  return asKey({ environmentId, uuid, version: Number(version) });
}

// Names in the folder are written by nameOf from branded ids.
function asKey(key: { environmentId: string; uuid: string; version: number }): SpoolKey {
  return key as SpoolKey;
}

function aadOf({ uuid, version }: SpoolKey) {
  return { table: "refresh_spool", column: "answer", row: `${uuid}/${version}` };
}

// Authenticated encryption: what opens is what `write` was given, with dates as text.
function asStored(value: unknown): Omit<SpoolEntry, keyof SpoolKey> {
  const stored = value as Omit<SpoolEntry, keyof SpoolKey>;
  const { minted } = stored;
  const expiresAt = minted.expiresAt === undefined ? undefined : new Date(minted.expiresAt);
  const { reauthorizeBy: by } = minted;
  const reauthorizeBy = by === undefined || by === "as_before" ? by : new Date(by);
  const issuedAt = new Date(stored.issuedAt);
  return { ...stored, issuedAt, minted: { ...minted, expiresAt, reauthorizeBy } };
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}
