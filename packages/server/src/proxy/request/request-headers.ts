import { AppError } from "#foundation";
import { controlHeaders } from "./control-headers.ts";
import { isHopByHop, listConnectionNames } from "./hop-by-hop.ts";

/** What the server adds to the headers of a call; names in lower case. */
export interface AddedHeaders {
  /** Sent unless the caller sends one of that name. */
  readonly defaults: ReadonlyMap<string, string>;
  /** The injected credential: replaces what the caller sends, gives way to `svc-proxy-`. */
  readonly credentials: ReadonlyMap<string, string>;
}

/** Meant for the server, with the caller's own key among them; none of them reaches the provider. */
const controls = new Set([
  "authorization",
  ...controlHeaders,
  // Made again for the next hop.
  "host",
  "content-length",
  "expect",
]);

const PREFIX = "svc-proxy-";

/**
 * Headers of the call to the provider, as name and value in turn, with the caller's spelling and order. `received` is
 * flat like `rawHeaders`. Throws invalid_headers.
 */
export function toUpstreamHeaders(received: readonly string[], added: AddedHeaders): string[] {
  const keys = lowerNames(received);
  const dropped = keys.includes("connection") ? listConnectionNames(received) : nothing;
  const explicit = readExplicit(received, keys);
  const sent: string[] = [];
  const seen = new Set<string>();
  for (const [position, key] of keys.entries()) {
    if (controls.has(key) || key.startsWith("svc-") || isHopByHop(key)) continue;
    if (dropped.has(key) || explicit.names.has(key) || added.credentials.has(key)) continue;
    sent.push(received[2 * position] ?? "", received[2 * position + 1] ?? "");
    seen.add(key);
  }
  for (const [name, value] of added.credentials) {
    if (explicit.names.has(name)) continue;
    sent.push(name, value);
    seen.add(name);
  }
  for (const [name, value] of added.defaults) {
    if (!seen.has(name) && !explicit.names.has(name)) sent.push(name, value);
  }
  for (const item of explicit.headers) sent.push(item);
  return sent;
}

const nothing: ReadonlySet<string> = new Set();

function lowerNames(flat: readonly string[]): string[] {
  const names: string[] = [];
  for (let index = 0; index + 1 < flat.length; index += 2) {
    names.push((flat[index] ?? "").toLowerCase());
  }
  return names;
}

interface Explicit {
  readonly names: ReadonlySet<string>;
  readonly headers: readonly string[];
}

function readExplicit(received: readonly string[], keys: readonly string[]): Explicit {
  if (!keys.some((key) => key.startsWith(PREFIX))) return { names: nothing, headers: [] };
  const names = new Set<string>();
  const headers: string[] = [];
  for (const [position, fullKey] of keys.entries()) {
    if (!fullKey.startsWith(PREFIX)) continue;
    const full = received[2 * position] ?? "";
    const name = full.slice(PREFIX.length);
    const key = name.toLowerCase();
    if (key === "" || key === "host" || key === "content-length" || isHopByHop(key)) {
      throw new AppError("invalid_headers", `${full} cannot be set: Jackfield sets ${name}.`, {
        details: [{ code: "custom", message: "cannot be set", path: [full.toLowerCase()] }],
      });
    }
    names.add(key);
    headers.push(name, received[2 * position + 1] ?? "");
  }
  return { names, headers };
}

/** Headers of a function's call, which stand for themselves: as if each were sent with `svc-proxy-`. */
export function fromFunctionHeaders(headers: Readonly<Record<string, string>>): string[] {
  return Object.entries(headers).flatMap(([name, value]) =>
    name.toLowerCase().startsWith(PREFIX) ? [name, value] : [`${PREFIX}${name}`, value],
  );
}
