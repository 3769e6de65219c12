import { createReadStream } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { extname } from "node:path";
import { AppError, type SystemContext } from "#foundation";
import type { RawExchange } from "#foundation/http";
import { findSessionOfToken } from "../authenticate-session.ts";
import { commonHeaders, toPolicy } from "./page-headers.ts";
import { choosePageTexts } from "./page-texts.ts";
import { errorPage } from "./pages.ts";

/** The built pages for end users. */
export type BuiltPage = "connect" | "link" | "manage";

const files: Readonly<Record<BuiltPage, string>> = {
  connect: "index.html",
  link: "l/index.html",
  manage: "manage/index.html",
};

/** Serves a built page from the folder of all. */
export async function showBuiltPage(
  ctx: SystemContext,
  { folder, page }: { folder: URL; page: BuiltPage },
  { request, reply }: RawExchange,
): Promise<void> {
  const [path = "", query] = request.url.split("?", 2);
  if (!path.endsWith("/")) {
    // Addresses in the page are relative to its folder.
    const folderName = path.slice(path.lastIndexOf("/") + 1);
    const address = `${folderName}/${query === undefined ? "" : `?${query}`}`;
    await reply.status(308).header("location", address).send();
    return;
  }
  const html = await readFile(new URL(files[page], folder), "utf8").catch(() => undefined);
  if (html === undefined) {
    const fault = {
      status: 503,
      type: "page_not_built",
      message: "The connect page was not built; the operator can run `npm ci` again.",
    };
    const texts = choosePageTexts(request.headers["accept-language"]);
    const failure = errorPage(fault, { texts });
    await reply.status(failure.status).headers(failure.headers).send(failure.html);
    return;
  }
  await reply
    .status(200)
    .headers({
      ...commonHeaders,
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": await policyFor(ctx, page, request.query),
      "cache-control": "no-store",
    })
    .send(withApiAddress(ctx, html));
}

/** Served from elsewhere, the page needs the address of the API. */
function withApiAddress({ settings }: SystemContext, html: string): string {
  const { connectUrl, serverUrl } = settings;
  if (connectUrl === `${serverUrl}/connect`) return html;
  const address = `${serverUrl.replaceAll("&", "&amp;").replaceAll('"', "&quot;")}/`;
  return html.replace(
    /(<meta name="jackfield-api" content=")[^"]*"/,
    (_whole, start: string) => `${start}${address}"`,
  );
}

/** The page may be embedded by its own site, and by those that its session allows by name: it takes credentials. */
async function policyFor(ctx: SystemContext, page: BuiltPage, query: unknown): Promise<string> {
  const own = new URL(ctx.settings.connectUrl).origin;
  const api = new URL(ctx.settings.serverUrl).origin;
  const apiSource = api === own ? [] : [api];
  return toPolicy({
    "default-src": [],
    "script-src": ["'self'"],
    "style-src": ["'self'"],
    "connect-src": ["'self'", ...apiSource],
    "img-src": ["'self'", "data:", ...apiSource],
    "font-src": ["'self'"],
    // The page of one's connections shows the connect page to renew one.
    ...(page === "manage" ? { "frame-src": ["'self'"] } : {}),
    "base-uri": [],
    "form-action": [],
    // A link is opened from a mail; in a frame somebody else would lead the click.
    "frame-ancestors": page === "link" ? [] : await listAncestors(ctx, query),
  });
}

async function listAncestors(ctx: SystemContext, query: unknown): Promise<readonly string[]> {
  const token = Object(query)["session_token"];
  const isNamed = token !== undefined || Object(query)["opener_origin"] !== undefined;
  // A client of the compatible platform sends the token by message: until then the page shows nothing and tells nothing.
  if (!isNamed && ctx.settings.compatPrefix !== undefined) return ["*"];
  const session = typeof token === "string" ? await findSessionOfToken(ctx, token) : undefined;
  if (session === undefined) return ["'self'"];
  return ["'self'", ...(session.settings.allowedOrigins ?? [])];
}

const types: Readonly<Record<string, string>> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".webp": "image/webp",
  ".woff2": "font/woff2",
  ".json": "application/json; charset=utf-8",
};

/** Names hold a hash of the content, so a file never changes under its name. */
export async function sendConnectPageAsset(
  folder: URL,
  path: string,
  { reply }: RawExchange,
): Promise<void> {
  const type = types[extname(path)];
  const isPlain = /^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)+$/.test(path);
  const file = new URL(`assets/${path}`, folder);
  const found = isPlain && type !== undefined ? await stat(file).catch(() => undefined) : undefined;
  if (type === undefined || found === undefined || !found.isFile()) {
    throw new AppError("not_found", `The connect page has no file ${path}.`);
  }
  await reply
    .status(200)
    .headers({
      ...commonHeaders,
      "content-type": type,
      "content-length": String(found.size),
      "cache-control": "public, max-age=31536000, immutable",
    })
    .send(createReadStream(file));
}
