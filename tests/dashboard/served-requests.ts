import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { IncomingMessage, ServerResponse } from "node:http";

/** Requests that servers of this process answer, from any sender: workers of a browser are seen, too. */
export class ServedRequests implements Disposable {
  readonly requests: { readonly path: string; readonly at: number }[] = [];
  readonly #open = new Map<ServerResponse, string>();

  constructor() {
    subscribe("http.server.request.start", this.#begin);
  }

  /** When requests of a path came, in milliseconds of `performance.now()`. */
  timesOf(path: string): number[] {
    return this.requests.filter((each) => each.path === path).map(({ at }) => at);
  }

  /** How many requests of a path are being answered. */
  countOpen(path: string): number {
    return [...this.#open.values()].filter((each) => each === path).length;
  }

  /** Ends answers that have begun, as a server that dies does; before that a browser tries again by itself. */
  cut(path: string): void {
    for (const [response, each] of this.#open) {
      if (each === path && response.headersSent) response.destroy();
    }
  }

  readonly #begin = (message: unknown): void => {
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
    const [path = ""] = (request.url ?? "").split("?");
    this.requests.push({ path, at: performance.now() });
    this.#open.set(response, path);
    response.once("close", () => this.#open.delete(response));
  };

  [Symbol.dispose](): void {
    unsubscribe("http.server.request.start", this.#begin);
  }
}
