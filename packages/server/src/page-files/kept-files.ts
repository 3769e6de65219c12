import { createHash, timingSafeEqual } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { brotliCompress, brotliDecompress, constants } from "node:zlib";
import { DAY, reasonOf, type SystemContext } from "#foundation";
import { withTransaction } from "#foundation/db";
import type { RawExchange } from "#foundation/http";
import { lookupHash } from "#vault";
import { listAccepted } from "./accepted-encodings.ts";
import { isAssetName, typeOfAsset } from "./asset-types.ts";
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
const decompress = promisify(brotliDecompress);

/**
 * Stores the files of this process's builds, so that every process can send them: one that has replaced these builds,
 * and one that they are about to replace. `folders` are those of the builds of all pages that this process serves.
 * Where this fails the server starts all the same: pages are loaded again then.
 */
export async function keepPageFiles(ctx: SystemContext, folders: readonly URL[]): Promise<void> {
  try {
    const files = (await Promise.all(folders.map(listFiles))).flat();
    const names = files.map(({ name }) => name);
    if (names.length === 0) return;
    const stored = new Set(await listKeptNames(ctx.db, names));
    const missing = files.filter(({ name }) => !stored.has(name));
    const added = await Promise.all(
      missing.map(async (file) => await signFile(ctx, file.name, await readCompressed(file))),
    );
    const othersUntil = new Date(ctx.clock.now().getTime() + KEPT_DAYS * DAY);
    await withTransaction(
      ctx,
      async ({ db }) => await storeFiles(db, { names, added, othersUntil }),
    );
  } catch (error) {
    ctx.log.warn("page_files.not_kept", { reason: reasonOf(error) });
  }
}

/** Sends a file of another build, as a process with that build has stored it; false where it is not there. */
export async function sendKeptFile(
  ctx: SystemContext,
  { name, headers }: { readonly name: string; readonly headers: Readonly<Record<string, string>> },
  { request, reply }: RawExchange,
): Promise<boolean> {
  const content = isAssetName(name) ? await readKeptFile(ctx, name) : undefined;
  if (content === undefined) return false;
  const takesBrotli = listAccepted(request.headers["accept-encoding"]).includes("br");
  const body = takesBrotli ? content : await decompress(content);
  await reply
    .status(200)
    .headers({
      ...headers,
      "content-type": String(typeOfAsset(name)),
      vary: "accept-encoding",
      ...(takesBrotli ? { "content-encoding": "br" } : {}),
    })
    .send(body);
  return true;
}

/** The content of a file of another build, compressed with Brotli. */
async function readKeptFile(ctx: SystemContext, name: string): Promise<Buffer | undefined> {
  const file = await findKeptFile(ctx.db, name);
  if (file === undefined) return undefined;
  // It becomes code in pages that take credentials and of people who have signed in: only what a server of this installation has stored is sent.
  const { mac } = await signFile(ctx, name, file.content);
  const isOurs = mac.length === file.mac.length && timingSafeEqual(mac, file.mac);
  if (!isOurs) ctx.log.warn("page_files.kept_file_changed", { name });
  return isOurs ? file.content : undefined;
}

/** Forgets files that have been kept for long enough. Runs daily. */
export async function deleteOldFiles(ctx: SystemContext): Promise<void> {
  await deleteFilesBefore(ctx.db, ctx.clock.now());
}

// The purpose is that of the first release which stored files: processes of both check each other's.
async function signFile(ctx: SystemContext, name: string, content: Buffer): Promise<KeptFile> {
  const digest = createHash("sha256").update(content).digest("hex");
  return { name, content, mac: await lookupHash(ctx, "dashboard file", `${name}\0${digest}`) };
}

interface PageFile {
  readonly name: string;
  /** Folder that it lies in. */
  readonly assets: URL;
}

async function listFiles(folder: URL): Promise<readonly PageFile[]> {
  const assets = new URL("assets/", folder);
  const names = await readdir(assets).catch(() => []);
  return names.filter(isAssetName).map((name) => ({ name, assets }));
}

/** The best compression takes a hundred times as long, at a start that waits for it. */
const QUICK = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };

/** As the build has compressed it; that of the dashboard leaves small files as they are, the other one all. */
async function readCompressed({ name, assets }: PageFile): Promise<Buffer> {
  const made = await readFile(new URL(`${name}.br`, assets)).catch(() => undefined);
  return made ?? (await compress(await readFile(new URL(name, assets)), QUICK));
}
