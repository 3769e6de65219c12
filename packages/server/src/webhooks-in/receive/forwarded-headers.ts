/** Headers that say something of the way here or of the sender's client, not of the event. */
const DROPPED = new Set([
  "authorization",
  "connection",
  "content-encoding",
  "content-length",
  "content-type",
  "cookie",
  "expect",
  "host",
  "keep-alive",
  "referer",
  "server",
  "set-cookie",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "user-agent",
  "www-authenticate",
]);

const DROPPED_PREFIX = /^(sec-|proxy-|svc-|x-svc-)/;
// The forward carries its own signature under these names.
const OWN_PREFIX = "webhook-";

/** The provider's headers as they travel on, by which its signature can be checked again. */
export function toForwardedHeaders(
  headers: Readonly<Record<string, string>>,
  alias: string | undefined,
): Record<string, string> {
  const isAlias = (name: string) =>
    alias !== undefined && (name.startsWith(`${alias}-`) || name.startsWith(`x-${alias}-`));
  return Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => !DROPPED.has(name) && !DROPPED_PREFIX.test(name) && !isAlias(name))
      .map(([name, value]) => [name.startsWith(OWN_PREFIX) ? `x-provider-${name}` : name, value]),
  );
}
