import type { RequestListener } from "node:http";
import type { FastifyInstance } from "fastify";

/** Lets `wrap` see every request before the routes do; it passes on what is not for it. */
export function putInFront(app: FastifyInstance, wrap: (next: RequestListener) => RequestListener) {
  const listeners = app.server.listeners("request");
  app.server.removeAllListeners("request");
  const next: RequestListener = (request, response) => {
    for (const listener of listeners) listener.call(app.server, request, response);
  };
  app.server.on("request", wrap(next));
}
