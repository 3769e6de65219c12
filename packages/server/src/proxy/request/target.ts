import { LRUCache } from "lru-cache";
import { AppError, startsWithSegments } from "#foundation";

/** Where a call goes: the host comes from the base alone, the rest is text that is never parsed again. */
export interface Target {
  /** Scheme, host and port. */
  readonly origin: string;
  /** Path and query as they are sent. */
  readonly path: string;
}

/** What follows `/proxy/` in a request's own address, untouched. */
export function readProxiedPath(rawUrl: string): string {
  return rawUrl.replace(/^(?:[a-z][a-z0-9+.-]*:\/\/[^/?#]*)?\/[^/?#]*\/?/i, "");
}

/**
 * Joins the base address and a path with its query, byte for byte; throws invalid_uri_params. A path that begins
 * with the segments of the base's own path is taken from the host's root, so that both spellings meet.
 */
export function toTarget(baseUrl: string, path: string): Target {
  const { origin, prefix, inner } = readBase(baseUrl);
  const given = withoutSlash(path);
  if (isAddress.test(given)) {
    const below = withoutBase(given, `${origin}${prefix}`);
    requireInside(below);
    return { origin, path: `${prefix}/${below}` };
  }
  if (inner !== "" && startsWithSegments(given, inner)) {
    requireBelow(withoutSlash(given.slice(inner.length)));
    return { origin, path: `/${given}` };
  }
  requireBelow(given);
  return { origin, path: `${prefix}/${given}` };
}

function requireBelow(path: string): void {
  if (!plainPath.test(path)) requireInside(path);
}

const isAddress = /^[a-z][a-z0-9+.-]*:\/\//i;

// Without a dot, a slash at its start or anything encoded there is nothing to read in two ways.
const plainPath = /^[\w-][\w/-]*$/;

interface Base {
  readonly origin: string;
  /** Path that begins with a slash and does not end in one; empty where there is none. */
  readonly prefix: string;
  /** The same without its slash. */
  readonly inner: string;
}

// Process-wide: made of the text alone; each connection has one, and each of its calls needs it.
const bases = new LRUCache<string, Base>({ max: 1000 });

function readBase(text: string): Base {
  const known = bases.get(text);
  if (known !== undefined) return known;
  const { origin, pathname } = requireBase(text);
  const prefix = pathname.replace(/(?<!\/)\/+$/, "");
  const base = { origin, prefix, inner: prefix.slice(1) };
  bases.set(text, base);
  return base;
}

export function withoutSlash(path: string): string {
  return path.startsWith("/") ? path.slice(1) : path;
}

function requireBase(text: string): URL {
  const base = URL.parse(text);
  const isPlain = base !== null && /^https?:$/.test(base.protocol) && base.username === "";
  if (isPlain && base.password === "" && base.search === "" && base.hash === "") return base;
  throw new AppError(
    "missing_base_url",
    "The base URL is not an http or https address, or holds a user, a query or a fragment.",
  );
}

/** An address that starts with the base is taken as the path below it. */
function withoutBase(path: string, base: string): string {
  const rest = path.slice(base.length);
  if (path.toLowerCase().startsWith(base.toLowerCase()) && /^([/?]|$)/.test(rest)) {
    return withoutSlash(rest);
  }
  throw refuse("is an address outside the base URL; send the path only, or Base-Url-Override");
}

function requireInside(path: string): void {
  if (/^[/\\]/.test(path)) throw refuse("starts with more than one slash");
  if (hasUnsendable(path)) throw refuse("holds a space, a control character or a `#`");
  const [plain = ""] = path.split("?", 1);
  // Some servers decode more than once, take \ for / or drop `;` parameters: all readings stay inside.
  let reading = plain;
  for (let round = 0; round < MAX_DECODINGS; round += 1) {
    if (leaves(reading)) throw refuse("leaves the base URL by `..`");
    const decoded = decodeOnce(reading);
    if (decoded === reading) return;
    reading = decoded;
  }
  throw refuse("is percent-encoded too many times");
}

const MAX_DECODINGS = 8;

function hasUnsendable(path: string): boolean {
  for (let index = 0; index < path.length; index += 1) {
    const code = path.charCodeAt(index);
    if (code <= 0x20 || code === 0x23 || code === 0x7f || code > 0xff) return true;
  }
  return false;
}

function leaves(path: string): boolean {
  let depth = 0;
  for (const segment of path.split(/[/\\]/)) {
    const [name = ""] = dropIgnored(segment).split(";", 1);
    if (name === "..") depth -= 1;
    else if (name !== "" && name !== ".") depth += 1;
    if (depth < 0) return true;
  }
  return false;
}

/** Tab, CR, LF and NUL, which parsers of addresses drop. */
function dropIgnored(segment: string): string {
  return [...segment].filter((char) => char > " ").join("");
}

function decodeOnce(path: string): string {
  return path.replace(/%([0-9a-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

function refuse(fault: string): AppError {
  return new AppError("invalid_uri_params", `The path ${fault}.`);
}
