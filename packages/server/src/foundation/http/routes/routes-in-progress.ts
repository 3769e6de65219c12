import type { RouteDefinition } from "@jackfield/contract";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { countRequest, LEFT } from "../requests/request-metrics.ts";

/** Which routes are being served, by method and path of the contract. */
export class RoutesInProgress {
  readonly #running = new Map<string, number>();
  readonly #ended = new Set<string>();

  /** Those served since the last call, also where they have ended meanwhile. */
  take(): readonly string[] {
    const names = [...new Set([...this.#running.keys(), ...this.#ended])].toSorted();
    this.#ended.clear();
    return names;
  }

  /** Notes every request of a server from its head to the end of its answer. */
  watch(app: FastifyInstance): void {
    app.addHook("onRequest", async (request) => {
      startedAt.set(request, performance.now());
      const name = nameOf(request);
      this.#running.set(name, (this.#running.get(name) ?? 0) + 1);
    });
    app.addHook("onResponse", async (request, reply) => {
      const name = nameOf(request);
      const route = request.routeOptions.config.definition;
      const { headersSent, statusCode } = reply.raw;
      const since = startedAt.get(request) ?? performance.now();
      countRequest(route, headersSent ? statusCode : LEFT, since);
      const left = (this.#running.get(name) ?? 1) - 1;
      if (left === 0) this.#running.delete(name);
      else this.#running.set(name, left);
      this.#ended.add(name);
    });
  }
}

// Kept with its key: one request.
const startedAt = new WeakMap<FastifyRequest, number>();
// Kept with its key: a route of the contract, with the name that it has there.
const names = new WeakMap<RouteDefinition, string>();

function nameOf({ routeOptions }: FastifyRequest): string {
  const route = routeOptions.config.definition;
  if (route === undefined) return "unknown route";
  const known = names.get(route);
  if (known !== undefined) return known;
  const name = `${route.method} ${route.path}`;
  names.set(route, name);
  return name;
}
