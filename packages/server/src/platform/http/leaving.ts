import type { Server } from "node:http";
import type { FastifyInstance } from "fastify";
import { seeAllRequests } from "./see-all-requests.ts";

/**
 * From the abort on, each answer closes its connection: callers, and the balancer before us, come back on a new one,
 * which another process takes. Until the server is closed it takes new connections too.
 */
export function closeAfterAnswers(server: Server, leaving: AbortSignal): void {
  seeAllRequests(server, (_request, response) => {
    if (leaving.aborted) response.shouldKeepAlive = false;
  });
  // For requests that had begun before: Node waits a second longer, in which one that is on its way is still served.
  leaving.addEventListener("abort", () => {
    server.keepAliveTimeout = 1;
  });
}

/** Takes no more connections and waits for what is being answered; after `withinMs` it breaks off the rest. */
export async function closeWithin(app: FastifyInstance, withinMs: number): Promise<void> {
  const timer = setTimeout(() => app.server.closeAllConnections(), withinMs);
  try {
    await app.close();
  } finally {
    clearTimeout(timer);
  }
}
