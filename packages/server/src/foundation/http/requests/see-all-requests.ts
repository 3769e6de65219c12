import type { IncomingMessage, Server, ServerResponse } from "node:http";

/** Calls `see` with each request before anything answers it, those too that never come to the routes. */
export function seeAllRequests(
  server: Server,
  see: (request: IncomingMessage, response: ServerResponse) => void,
): void {
  // What is put in front of the routes takes the place of the listeners before it; by then it has.
  server.once("listening", () => server.prependListener("request", see));
}
