import { createReadStream } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { extname } from "node:path";
import { basePlaceholder } from "@jackfield/docs-site/assets";
import { AppError } from "#foundation";
import type { RawExchange } from "#foundation/http";

/** Those with addresses of the site in them, which depend on where it is served. */
const texts: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".md": "text/markdown; charset=utf-8",
  ".txt": "text/plain; charset=utf-8",
};
const images: Readonly<Record<string, string>> = {
  ".svg": "image/svg+xml",
  ".png": "image/png",
};

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Serves a file of the built docs site; `/docs/` is its first page, and a page is found without `.html`, too. */
export async function sendDocsFile(
  folder: URL,
  serverUrl: string,
  { request, reply }: RawExchange,
): Promise<void> {
  const path = (request.url.split("?", 1)[0] ?? "").replace(/^\/docs/i, "");
  const base = `${new URL(serverUrl).pathname.replace(/\/$/, "")}/docs/`;
  if (path === "") {
    await reply.status(308).header("location", base).send();
    return;
  }
  const found = await findFile(folder, path.slice(1));
  if (found === undefined && path === "/") {
    await reply
      .status(404)
      .headers({ "content-type": "text/html; charset=utf-8", "content-security-policy": policy })
      .send(notBuilt);
    return;
  }
  if (found === undefined) throw new AppError("not_found", `The guides have no page /docs${path}.`);
  const { file, type } = found;
  await reply
    .status(200)
    .headers({
      "content-type": type,
      "content-security-policy": policy,
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      // Names in `assets/` hold a hash of the content.
      "cache-control": path.startsWith("/assets/")
        ? "public, max-age=31536000, immutable"
        : "no-cache",
    })
    .send(
      texts[extname(file.pathname)] === undefined
        ? createReadStream(file)
        : (await readFile(file, "utf8")).replaceAll(basePlaceholder, base),
    );
}

async function findFile(
  folder: URL,
  path: string,
): Promise<{ file: URL; type: string } | undefined> {
  // Names of the site's own files; none begins with a dot or leads out of its folder.
  if (
    !/^(?:[A-Za-z0-9_@~-][A-Za-z0-9_.@~-]*\/)*(?:[A-Za-z0-9_@~-][A-Za-z0-9_.@~-]*)?$/.test(path)
  ) {
    return undefined;
  }
  const names = path === "" || path.endsWith("/") ? [`${path}index.html`] : [path, `${path}.html`];
  for (const name of names) {
    const file = new URL(name, folder);
    const type = texts[extname(name)] ?? images[extname(name)];
    if (type === undefined) continue;
    const known = await stat(file).catch(() => undefined);
    if (known?.isFile() === true) return { file, type };
  }
  return undefined;
}

/** In a checkout, where building takes longer than a start should. */
const notBuilt = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Guides</title></head>
<body><h1>The guides are not built yet</h1>
<p>Run <code>npm run docs</code> in the folder of the server, wait half a minute, and load this page again. The same pages are Markdown in <code>docs/</code>.</p>
<p>The <a href="./api">API</a> is described without them.</p>
</body></html>
`;
