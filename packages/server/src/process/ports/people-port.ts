import { once } from "node:events";
import type { Server as HttpServer, IncomingMessage } from "node:http";
import { createServer, type Socket } from "node:net";
import {
  dashboardRoutes,
  passkeyRoutes,
  type RouteDefinition,
  signInRoutes,
  ssoRoutes,
} from "@jackfield/contract";
import { AppError } from "#foundation";
import { hasSessionCookie } from "#people";
import { toListenFault } from "./claim-port.ts";

/** What belongs to the dashboard though it needs no session: the page itself, and the ways to sign in. */
const publicRoutes = [dashboardRoutes, signInRoutes, passkeyRoutes, ssoRoutes]
  .flatMap((group): RouteDefinition[] => Object.values(group))
  .filter(({ principals }) => principals.includes("public"));
const forPeople: ReadonlySet<RouteDefinition> = new Set(publicRoutes);

/**
 * A second port (`SVC_DASHBOARD_PORT`), to which people alone come: the dashboard, signing in and sessions are there
 * and not at the port of programs. It serves the API, too, which the dashboard calls.
 */
export class PeoplePort implements Disposable {
  readonly #sockets = new WeakSet<Socket>();
  // As the server of HTTP makes its own: the end of a request is not yet that of its answer.
  readonly #server = createServer({ allowHalfOpen: true, noDelay: true });

  /** Requests to this port are answered by `http`, under all its deadlines. */
  async listen(
    place: { readonly host: string; readonly port: number },
    http: HttpServer,
  ): Promise<void> {
    this.#server.on("connection", (socket) => {
      this.#sockets.add(socket);
      // Node's documented way to have HTTP served over sockets from elsewhere.
      http.emit("connection", socket);
    });
    this.#server.listen(place);
    await once(this.#server, "listening").catch((error: unknown) => {
      throw toListenFault(error, { ...place, setting: "SVC_DASHBOARD_PORT" });
    });
  }

  /** Throws for what people do at the port of programs. */
  requireOwn(
    { socket, headers }: Pick<IncomingMessage, "socket" | "headers">,
    route: RouteDefinition,
  ): void {
    if (this.#sockets.has(socket)) return;
    const { principals } = route;
    if (forPeople.has(route) || (principals.includes("user") && principals.length === 1)) {
      throw new AppError("not_found", "The dashboard and who signs in have a port of their own.");
    }
    if (principals.includes("public") || headers.authorization !== undefined) return;
    if (!hasSessionCookie(headers.cookie)) return;
    throw new AppError("session_not_taken", "Sessions count at the dashboard's own port alone.");
  }

  /** Takes no more connections; those that there are end as those of the server itself. */
  [Symbol.dispose](): void {
    if (this.#server.listening) this.#server.close();
  }
}
