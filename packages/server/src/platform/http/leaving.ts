import type { Server as HttpServer } from "node:http";
import { Server } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import { SECOND } from "../clock.ts";
import { within } from "../waiting/index.ts";
import { seeAllRequests } from "./requests/see-all-requests.ts";

/** How long a moment is looked for in which nobody connects. */
const QUIET_WITHIN_MS = SECOND;
/** A turn of the event loop that took longer has worked, and callers may have connected meanwhile. */
const QUIET_TURN_MS = 1;

/** From the abort on, each answer closes its connection: callers, and a balancer before us, come back elsewhere. */
export function closeAfterAnswers(server: HttpServer, leaving: AbortSignal): void {
  seeAllRequests(server, (_request, response) => {
    if (leaving.aborted) response.shouldKeepAlive = false;
  });
  // For requests that had begun before: Node waits a second longer, in which one that is on its way is still served.
  leaving.addEventListener("abort", () => {
    server.keepAliveTimeout = 1;
  });
}

export interface Refusal {
  /** Aborted once no more connections are taken. */
  readonly refusing: AbortController;
  readonly withinMs: number;
}

/**
 * Takes no more connections, and serves those that there are until they are closed, at most for `withinMs`. A balancer
 * that does not ask `/ready` is refused from now on, and sends elsewhere what it has not begun to send. A connection
 * that the system has accepted and we have not, or that is between two requests, is not closed: a request may be on
 * its way over it, and one that may not be repeated would be lost.
 */
export async function refuseConnections(
  { server }: FastifyInstance,
  { refusing, withinMs }: Refusal,
): Promise<void> {
  await untilNobodyConnects(server);
  const closed = new Promise((resolve) => server.once("close", resolve));
  // Node's own for HTTP closes connections without a request, too.
  Server.prototype.close.call(server);
  refusing.abort();
  await within(withinMs, closed);
}

/** Until the event loop has just looked for connections, and found none; not for ever where there are always some. */
async function untilNobodyConnects(server: Server): Promise<void> {
  let hasConnected = false;
  const note = (): void => {
    hasConnected = true;
  };
  server.on("connection", note);
  const until = performance.now() + QUIET_WITHIN_MS;
  for (;;) {
    hasConnected = false;
    const since = performance.now();
    await nextTurn();
    const now = performance.now();
    if (now > until || (!hasConnected && now - since < QUIET_TURN_MS)) break;
  }
  server.off("connection", note);
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
