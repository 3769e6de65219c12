import { createReadStream } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { AppError, type SystemContext } from "#foundation";
import type { RawExchange } from "#foundation/http";
import { isAssetName, sendKeptFile, typeOfAsset } from "#page-files";
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

/**
 * Names hold a hash of the content, so a file never changes under its name. Pages of other builds are open while and after
 * processes are replaced: their files are stored.
 */
export async function sendConnectPageAsset(
  ctx: SystemContext,
  { folder, name }: { readonly folder: URL; readonly name: string },
  exchange: RawExchange,
): Promise<void> {
  const headers = { ...commonHeaders, "cache-control": "public, max-age=31536000, immutable" };
  const file = new URL(`assets/${name}`, folder);
  const found = isAssetName(name) ? await stat(file).catch(() => undefined) : undefined;
  if (found?.isFile() !== true) {
    if (await sendKeptFile(ctx, { name, headers }, exchange)) return;
    throw new AppError("not_found", `The connect page has no file ${name}.`);
  }
  await exchange.reply
    .status(200)
    .headers({
      ...headers,
      "content-type": String(typeOfAsset(name)),
      "content-length": String(found.size),
    })
    .send(createReadStream(file));
}
