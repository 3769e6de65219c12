import { createHash, timingSafeEqual } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { brotliCompress } from "node:zlib";
import { DAY, reasonOf, type SystemContext } from "#foundation";
import { withTransaction } from "#foundation/db";
import { lookupHash } from "#vault";
import { dashboardFolder, isAssetName } from "./asset-files.ts";
import {
  deleteFilesBefore,
  findKeptFile,
  type KeptFile,
  listKeptNames,
  storeFiles,
} from "./store.ts";

/** How long pages of an earlier build find their files after another build has started. */
const KEPT_DAYS = 7;

const compress = promisify(brotliCompress);

/**
 * Stores the files of this process's build, so that every process can send them: one that has replaced this build, and
 * one that this build is about to replace. Where this fails the server starts all the same: pages are loaded again then.
 */
export async function keepFiles(ctx: SystemContext): Promise<void> {
  try {
    const assets = new URL("assets/", dashboardFolder.of(ctx));
    const names = (await readdir(assets).catch(() => [])).filter(isAssetName);
    if (names.length === 0) return;
    const stored = new Set(await listKeptNames(ctx.db, names));
    const missing = names.filter((name) => !stored.has(name));
    const added = await Promise.all(
      missing.map(async (name) => await signFile(ctx, name, await readCompressed(assets, name))),
    );
    const othersUntil = new Date(ctx.clock.now().getTime() + KEPT_DAYS * DAY);
    await withTransaction(
      ctx,
      async ({ db }) => await storeFiles(db, { names, added, othersUntil }),
    );
  } catch (error) {
    ctx.log.warn("dashboard.files_not_kept", { reason: reasonOf(error) });
  }
}

/** The content of a file of another build, compressed with Brotli. */
export async function readKeptFile(ctx: SystemContext, name: string): Promise<Buffer | undefined> {
  const file = await findKeptFile(ctx.db, name);
  if (file === undefined) return undefined;
  // It becomes code in pages of people who have signed in: only what a server of this installation has stored is sent.
  const { mac } = await signFile(ctx, name, file.content);
  const isOurs = mac.length === file.mac.length && timingSafeEqual(mac, file.mac);
  if (!isOurs) ctx.log.warn("dashboard.kept_file_changed", { name });
  return isOurs ? file.content : undefined;
}

/** Forgets files that have been kept for long enough. Runs daily. */
export async function deleteOldFiles(ctx: SystemContext): Promise<void> {
  await deleteFilesBefore(ctx.db, ctx.clock.now());
}

async function signFile(ctx: SystemContext, name: string, content: Buffer): Promise<KeptFile> {
  const digest = createHash("sha256").update(content).digest("hex");
  return { name, content, mac: await lookupHash(ctx, "dashboard file", `${name}\0${digest}`) };
}

/** As the build has compressed it; small files it leaves as they are. */
async function readCompressed(assets: URL, name: string): Promise<Buffer> {
  const made = await readFile(new URL(`${name}.br`, assets)).catch(() => undefined);
  return made ?? (await compress(await readFile(new URL(name, assets))));
}
