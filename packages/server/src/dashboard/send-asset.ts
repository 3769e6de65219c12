import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { AppError, type SystemContext } from "#foundation";
import type { RawExchange } from "#foundation/http";
import { isAssetName, listAccepted, sendKeptFile, typeOfAsset } from "#page-files";
import { dashboardFolder } from "./asset-files.ts";

/** Forms of a file that the build has made, the smallest first. */
const encodings = [
  { name: "br", suffix: ".br" },
  { name: "gzip", suffix: ".gz" },
] as const;

const plain = { name: undefined, suffix: "" } as const;

/** Names hold a hash of the content, so a file never changes under its name. */
export async function sendAsset(
  ctx: SystemContext,
  name: string,
  exchange: RawExchange,
): Promise<void> {
  const accepted = listAccepted(exchange.request.headers["accept-encoding"]);
  const sent = isAssetName(name) && (await sendOwn(ctx, name, { accepted, exchange }));
  if (sent || (await sendKeptFile(ctx, { name, headers: commonHeaders }, exchange))) return;
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

const commonHeaders = {
  vary: "accept-encoding",
  "cache-control": "public, max-age=31536000, immutable",
  "cross-origin-resource-policy": "same-origin",
  // Of a script that runs as a worker, which the policy of the page does not bind.
  "content-security-policy": "default-src 'none'; connect-src 'self'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
} as const;

function headersOf(name: string, encoding: string | undefined): Readonly<Record<string, string>> {
  return {
    ...commonHeaders,
    "content-type": String(typeOfAsset(name)),
    ...(encoding === undefined ? {} : { "content-encoding": encoding }),
  };
}
