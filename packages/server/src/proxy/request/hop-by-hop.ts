/** Headers that end at the next hop (RFC 9110 section 7.6.1); `connection` names further ones. */
const hopByHop = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "proxy-authenticate",
  "proxy-authorization",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

export function isHopByHop(name: string): boolean {
  return hopByHop.has(name);
}

/** The names that the Connection headers of a message list, in lower case. */
export function listConnectionNames(headers: readonly string[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (let index = 0; index + 1 < headers.length; index += 2) {
    if (headers[index]?.toLowerCase() !== "connection") continue;
    for (const name of (headers[index + 1] ?? "").split(",")) names.add(name.trim().toLowerCase());
  }
  return names;
}
