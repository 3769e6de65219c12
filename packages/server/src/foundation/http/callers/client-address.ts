import type { FastifyRequest } from "fastify";
import ipaddr from "ipaddr.js";

/**
 * Who calls, as an address. Behind proxies that the operator has named, the framework reads `X-Forwarded-For` from the
 * right up to the first address that is none of them; anyone may have written what is left of that. An entry that
 * is no address leaves the one that the connection has.
 */
export function clientAddress({ ip, raw }: Pick<FastifyRequest, "ip" | "raw">): string {
  // Some proxies write the port as well.
  const bare = /^\[([^\]]*)\](?::\d+)?$/.exec(ip)?.[1] ?? /^([\d.]+):\d+$/.exec(ip)?.[1] ?? ip;
  const found = ipaddr.isValid(bare) ? bare : (raw.socket.remoteAddress ?? "");
  return ipaddr.isValid(found) ? ipaddr.process(found).toString() : found;
}
