import type { IncomingMessage } from "node:http";

/** Whether a request's header, in lower case, says that a browser asks; no page can set or leave out these. */
export function isBrowserSign(name: string): boolean {
  return name === "origin" || name.startsWith("sec-fetch-") || name.startsWith("sec-ch-");
}

export function isFromBrowser({ headers }: Pick<IncomingMessage, "headers">): boolean {
  return Object.keys(headers).some(isBrowserSign);
}
