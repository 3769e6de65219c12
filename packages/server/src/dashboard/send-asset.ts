import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { extname } from "node:path";
import { AppError } from "#platform";
import type { RawExchange } from "#platform/http";

const types: Readonly<Record<string, string>> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** Forms of a file that the build has made, the smallest first. */
const encodings = [
  { name: "br", suffix: ".br" },
  { name: "gzip", suffix: ".gz" },
] as const;

/** Names hold a hash of the content, so a file never changes under its name. */
export async function sendAsset(
  folder: URL,
  path: string,
  { request, reply }: RawExchange,
): Promise<void> {
  const type = types[extname(path)];
  const isPlain = /^assets\/[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)+$/.test(path);
  const accepted = listAccepted(String(request.headers["accept-encoding"] ?? ""));
  const wanted = encodings.filter(({ name }) => accepted.includes(name));
  for (const { name, suffix } of isPlain && type !== undefined ? [...wanted, plain] : []) {
    const file = new URL(`${path}${suffix}`, folder);
    const found = await stat(file).catch(() => undefined);
    if (found?.isFile() !== true) continue;
    await reply
      .status(200)
      .headers({
        "content-type": String(type),
        ...(name === undefined ? {} : { "content-encoding": name }),
        vary: "accept-encoding",
        "content-length": String(found.size),
        "cache-control": "public, max-age=31536000, immutable",
        "cross-origin-resource-policy": "same-origin",
        // Of a script that runs as a worker, which the policy of the page does not bind.
        "content-security-policy": "default-src 'none'; connect-src 'self'",
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
      })
      .send(createReadStream(file));
    return;
  }
  throw new AppError("not_found", `The dashboard has no file ${path}.`);
}

const plain = { name: undefined, suffix: "" } as const;

/** Encodings that a client takes (RFC 9110, section 12.5.3); one with a weight of 0 it does not. */
function listAccepted(header: string): readonly string[] {
  return header
    .split(",")
    .map((item) => item.split(";").map((part) => part.trim()))
    .filter(([, weight = "q=1"]) => Number(weight.replace("q=", "")) > 0)
    .map(([name = ""]) => name);
}
