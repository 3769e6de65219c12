import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { promisify } from "node:util";
import { brotliDecompress } from "node:zlib";
import { AppError, type SystemContext } from "#foundation";
import type { RawExchange } from "#foundation/http";
import { dashboardFolder, isAssetName, typeOfAsset } from "./asset-files.ts";
import { readKeptFile } from "./kept-files.ts";

/** Forms of a file that the build has made, the smallest first. */
const encodings = [
  { name: "br", suffix: ".br" },
  { name: "gzip", suffix: ".gz" },
] as const;

const plain = { name: undefined, suffix: "" } as const;

const decompress = promisify(brotliDecompress);

/** Names hold a hash of the content, so a file never changes under its name. */
export async function sendAsset(
  ctx: SystemContext,
  name: string,
  exchange: RawExchange,
): Promise<void> {
  const accepted = listAccepted(String(exchange.request.headers["accept-encoding"] ?? ""));
  const sent = isAssetName(name) && (await sendOwn(ctx, name, { accepted, exchange }));
  if (sent || (isAssetName(name) && (await sendKept(ctx, name, { accepted, exchange })))) return;
  throw new AppError("not_found", `The dashboard has no file assets/${name}.`);
}

interface Asked {
  /** Names of encodings. */
  readonly accepted: readonly string[];
  readonly exchange: RawExchange;
}

/** From the folder of this process; false where it is not there. */
async function sendOwn(
  ctx: SystemContext,
  name: string,
  { accepted, exchange: { reply } }: Asked,
): Promise<boolean> {
  const folder = dashboardFolder.of(ctx);
  const wanted = encodings.filter((encoding) => accepted.includes(encoding.name));
  for (const encoding of [...wanted, plain]) {
    const file = new URL(`assets/${name}${encoding.suffix}`, folder);
    const found = await stat(file).catch(() => undefined);
    if (found?.isFile() !== true) continue;
    await reply
      .status(200)
      .headers({ ...headersOf(name, encoding.name), "content-length": String(found.size) })
      .send(createReadStream(file));
    return true;
  }
  return false;
}

/** Of another build, as a process with that build has stored it; false where it is not there. */
async function sendKept(
  ctx: SystemContext,
  name: string,
  { accepted, exchange: { reply } }: Asked,
): Promise<boolean> {
  const content = await readKeptFile(ctx, name);
  if (content === undefined) return false;
  const isCompressed = accepted.includes("br");
  const body = isCompressed ? content : await decompress(content);
  await reply
    .status(200)
    .headers(headersOf(name, isCompressed ? "br" : undefined))
    .send(body);
  return true;
}

function headersOf(name: string, encoding: string | undefined): Readonly<Record<string, string>> {
  return {
    "content-type": String(typeOfAsset(name)),
    ...(encoding === undefined ? {} : { "content-encoding": encoding }),
    vary: "accept-encoding",
    "cache-control": "public, max-age=31536000, immutable",
    "cross-origin-resource-policy": "same-origin",
    // Of a script that runs as a worker, which the policy of the page does not bind.
    "content-security-policy": "default-src 'none'; connect-src 'self'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
  };
}

/** Encodings that a client takes (RFC 9110, section 12.5.3); one with a weight of 0 it does not. */
function listAccepted(header: string): readonly string[] {
  return header
    .split(",")
    .map((item) => item.split(";").map((part) => part.trim()))
    .filter(([, weight = "q=1"]) => Number(weight.replace("q=", "")) > 0)
    .map(([name = ""]) => name);
}
