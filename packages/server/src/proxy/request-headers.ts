import { AppError } from "#platform";
import { isHopByHop, listConnectionNames } from "./hop-by-hop.ts";

/** What the platform adds to the headers of a call; names in lower case. */
export interface AddedHeaders {
  /** Sent unless the caller sends one of that name. */
  readonly defaults: ReadonlyMap<string, string>;
  /** The injected credential: replaces what the caller sends, gives way to `svc-proxy-`. */
  readonly credentials: ReadonlyMap<string, string>;
}

/** Meant for the platform, with the caller's own key among them; none of them reaches the provider. */
const controls = new Set([
  "authorization",
  "connection-id",
  "provider-config-key",
  "retries",
  "retry-on",
  "base-url-override",
  "decompress",
  "follow-redirects",
  "forward-headers-on-redirect",
  "rate-limit-wait",
  // Made anew for the next hop.
  "host",
  "content-length",
  "expect",
]);

const PREFIX = "svc-proxy-";

/**
 * Headers of the call to the provider, as name and value in turn, with the caller's spelling and order
 * (decisions 26). `received` is flat like `rawHeaders`. Throws invalid_headers.
 */
export function toUpstreamHeaders(received: readonly string[], added: AddedHeaders): string[] {
  const dropped = listConnectionNames(received);
  const explicit = readExplicit(received);
  const sent: string[] = [];
  const seen = new Set<string>();
  for (let index = 0; index + 1 < received.length; index += 2) {
    const name = received[index] ?? "";
    const key = name.toLowerCase();
    if (controls.has(key) || key.startsWith("svc-") || isHopByHop(key)) continue;
    if (dropped.has(key) || explicit.names.has(key) || added.credentials.has(key)) continue;
    sent.push(name, received[index + 1] ?? "");
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
  sent.push(...explicit.headers);
  return sent;
}

function readExplicit(received: readonly string[]): { names: Set<string>; headers: string[] } {
  const names = new Set<string>();
  const headers: string[] = [];
  for (let index = 0; index + 1 < received.length; index += 2) {
    const full = received[index] ?? "";
    if (!full.toLowerCase().startsWith(PREFIX)) continue;
    const name = full.slice(PREFIX.length);
    const key = name.toLowerCase();
    if (key === "" || key === "host" || key === "content-length" || isHopByHop(key)) {
      throw new AppError("invalid_headers", `${full} cannot be set: the platform sets ${name}.`, {
        details: [{ code: "custom", message: "cannot be set", path: [full.toLowerCase()] }],
      });
    }
    names.add(key);
    headers.push(name, received[index + 1] ?? "");
  }
  return { names, headers };
}

/** Headers of a function's call, which stand for themselves: as if each were sent with `svc-proxy-`. */
export function fromFunctionHeaders(headers: Readonly<Record<string, string>>): string[] {
  return Object.entries(headers).flatMap(([name, value]) =>
    name.toLowerCase().startsWith(PREFIX) ? [name, value] : [`${PREFIX}${name}`, value],
  );
}
