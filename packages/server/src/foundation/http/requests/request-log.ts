import type { IncomingMessage, Server } from "node:http";
import type { RouteDefinition } from "@jackfield/contract";
import type { Actor } from "../../actor/index.ts";
import type { Environment } from "../../context.ts";
import type { Logger } from "../../logger/index.ts";
import { LEFT } from "./request-metrics.ts";
import { seeAllRequests } from "./see-all-requests.ts";

/** What is known of a request once its route and its caller are. */
interface Facts {
  readonly id: string;
  route?: RouteDefinition;
  actor?: Actor;
  environment?: Environment | undefined;
}

/**
 * A line of the operator's log for each request: its id, which a 500 answer names, the route as the contract writes
 * it, status, duration and the name of the API key or the id of the user. Neither addresses nor headers, which may hold secrets.
 */
export class RequestLog {
  readonly #facts = new WeakMap<IncomingMessage, Facts>();
  readonly #log: Logger;
  readonly #newId: () => string;

  constructor({ log, newId }: { log: Logger; newId: () => string }) {
    this.#log = log;
    this.#newId = newId;
  }

  /** Sees every request of the server, whichever part of it answers. */
  watch(server: Server): void {
    seeAllRequests(server, (request, response) => {
      const startedAt = performance.now();
      const facts: Facts = { id: this.#newId() };
      this.#facts.set(request, facts);
      response.once("close", () => {
        const status = response.headersSent ? response.statusCode : LEFT;
        this.#write(facts, { method: request.method, status, startedAt });
      });
    });
  }

  idOf(request: IncomingMessage): string | undefined {
    return this.#facts.get(request)?.id;
  }

  noteRoute(request: IncomingMessage, route: RouteDefinition): void {
    const facts = this.#facts.get(request);
    if (facts !== undefined) facts.route = route;
  }

  noteCaller(
    request: IncomingMessage,
    { actor, environment }: { actor: Actor; environment?: Environment | undefined },
  ): void {
    const facts = this.#facts.get(request);
    if (facts !== undefined) Object.assign(facts, { actor, environment });
  }

  #write(
    { id, route, actor, environment }: Facts,
    { startedAt, ...seen }: { method: string | undefined; status: number; startedAt: number },
  ): void {
    this.#log.info("http.request", {
      id,
      ...seen,
      route: route === undefined ? "unknown route" : `${route.method} ${route.path}`,
      durationMs: Math.round((performance.now() - startedAt) * 10) / 10,
      ...(environment === undefined ? {} : { environment: environment.name }),
      ...(actor?.kind === "key" ? { keyName: actor.keyName } : {}),
      ...(actor?.kind === "user" ? { userId: actor.userId } : {}),
      ...(actor?.kind === "session" ? { sessionId: actor.sessionId } : {}),
    });
  }
}
