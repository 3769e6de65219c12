import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { MINUTE, SECOND } from "../../clock.ts";
import { TOO_SLOW } from "../answers/raw-answers.ts";
import { seeAllRequests } from "../requests/see-all-requests.ts";

/** How long callers may take, in milliseconds. */
export interface CallerDeadlines {
  /** For the whole head of a request. */
  readonly headMs: number;
  /** For the whole body of a request that is read before it is answered. */
  readonly bodyMs: number;
  /** Without a byte of a body that is due from the caller, or of an answer taken by it. */
  readonly stillMs: number;
  /** Between requests; above that of common balancers. */
  readonly idleMs: number;
}

export const callerDeadlines: CallerDeadlines = {
  headMs: 10 * SECOND,
  bodyMs: 5 * MINUTE,
  stillMs: MINUTE,
  idleMs: 72 * SECOND,
};

/** Node's own deadlines; the one for whole requests would cut long uploads through the proxy. */
export function toNodeDeadlines({ headMs, idleMs }: CallerDeadlines) {
  return {
    requestTimeout: 0,
    keepAliveTimeout: idleMs,
    http: { headersTimeout: headMs, connectionsCheckingInterval: Math.min(SECOND, headMs / 2) },
  };
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** Closes connections whose caller stands still in the middle of a request or of an answer. */
export function closeStillCallers(server: Server, { stillMs }: CallerDeadlines): void {
  const exchanges = new WeakMap<Socket, Exchange>();
  server.timeout = stillMs;
  seeAllRequests(server, (request, response) => {
    exchanges.set(request.socket, { request, response });
  });
  server.on("timeout", (socket: Socket) => {
    const exchange = exchanges.get(socket);
    // Between requests it is Node's deadline that has passed.
    if (exchange === undefined || exchange.response.writableFinished) socket.destroy();
    else if (isCallerStill(exchange)) closeSlow(exchange.request, exchange.response);
    else socket.setTimeout(stillMs);
  });
}

/** Whether it is the caller's turn; while we or a provider take our time, nothing is due from it. */
function isCallerStill({ request, response }: Exchange): boolean {
  const owesBody = !request.complete && request.readableLength === 0;
  return owesBody || response.writableLength > 0;
}

/** Closes the connection when the body of a request that has one is not whole in time. */
export function requireBodyInTime(
  request: IncomingMessage,
  response: ServerResponse,
  { bodyMs }: CallerDeadlines,
): void {
  const timer = setTimeout(() => {
    if (!request.complete) closeSlow(request, response);
  }, bodyMs).unref();
  request.once("close", () => clearTimeout(timer));
  request.once("end", () => clearTimeout(timer));
}

/** Whether the head says that a body follows. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0";
}

function closeSlow({ socket }: IncomingMessage, { headersSent }: ServerResponse): void {
  if (headersSent) socket.destroy();
  else socket.end(TOO_SLOW, () => socket.destroy());
}
