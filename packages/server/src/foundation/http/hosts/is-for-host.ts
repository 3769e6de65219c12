import type { IncomingMessage } from "node:http";

/**
 * Whether a request was sent to this name, at any port. `Host` alone tells, which no page can set;
 * `X-Forwarded-Host` could come from one.
 */
export function isForHost({ headers }: Pick<IncomingMessage, "headers">, name: string): boolean {
  const asked = (headers.host ?? "").toLowerCase().replace(/:\d*$/, "");
  return asked.replace(/\.$/, "") === name;
}
