import type { Server as HttpServer } from "node:http";
import { Server } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import { SECOND } from "../clock.ts";
import { within } from "../waiting/index.ts";
import { seeAllRequests } from "./requests/see-all-requests.ts";

/** How long a moment is looked for in which no caller sends anything. */
const QUIET_WITHIN_MS = SECOND;
/** A turn of the event loop that took longer has worked, and more may have come meanwhile. */
const QUIET_TURN_MS = 1;

/** From the abort on, each answer closes its connection: callers, and a balancer before us, come back elsewhere. */
export function closeAfterAnswers(server: HttpServer, leaving: AbortSignal): void {
  seeAllRequests(server, (_request, response) => {
    if (leaving.aborted) response.shouldKeepAlive = false;
  });
}

export interface Refusal {
  /** Aborted once no more connections are taken. */
  readonly refusing: AbortController;
  /** How long nothing is asked before connections without a request are closed. */
  readonly quietMs: number;
  readonly withinMs: number;
}

/**
 * Takes no more connections, and serves those that there are until they are closed or nothing is asked over them, at
 * most for `withinMs`. A balancer that does not ask `/ready` is refused from now on, and sends elsewhere what it has
 * not begun to send. Neither a connection that the system has accepted and we have not, nor one that is still used, is
 * closed: a request may be on its way over it, and one that may not be repeated would be lost.
 */
export async function refuseConnections(
  { server }: FastifyInstance,
  { refusing, quietMs, withinMs }: Refusal,
): Promise<void> {
  await untilQuietTurn(server, "connection");
  const closed = new Promise<void>((resolve) => server.once("close", resolve));
  // Node's own for HTTP closes connections without a request, too.
  Server.prototype.close.call(server);
  refusing.abort();
  await untilNothingIsAsked(server, { closed, quietMs, withinMs });
  await untilQuietTurn(server, "request");
  server.closeIdleConnections();
}

async function untilNothingIsAsked(
  server: HttpServer,
  { closed, quietMs, withinMs }: { closed: Promise<void>; quietMs: number; withinMs: number },
): Promise<void> {
  const until = performance.now() + withinMs;
  let quietAt = 0;
  const wait = (): void => {
    quietAt = performance.now() + quietMs;
  };
  wait();
  server.on("request", wait);
  for (;;) {
    const restMs = Math.min(quietAt, until) - performance.now();
    if (restMs <= 0 || (await within(restMs, closed))) break;
  }
  server.off("request", wait);
}

/** Until the event loop has just looked for what callers send, and found nothing; not for ever where they always do. */
async function untilQuietTurn(server: Server, event: "connection" | "request"): Promise<void> {
  let hasCome = false;
  const note = (): void => {
    hasCome = true;
  };
  server.on(event, note);
  const until = performance.now() + QUIET_WITHIN_MS;
  // The turn that we are in may have looked before.
  await nextTurn();
  for (;;) {
    hasCome = false;
    const since = performance.now();
    await nextTurn();
    const now = performance.now();
    if (now > until || (!hasCome && now - since < QUIET_TURN_MS)) break;
  }
  server.off(event, note);
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
