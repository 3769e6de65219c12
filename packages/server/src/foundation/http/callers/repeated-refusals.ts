import type { RequestListener } from "node:http";
import { LRUCache } from "lru-cache";
import type { Clock } from "../../clock.ts";
import { countRequest } from "../requests/request-metrics.ts";

/** Short, so that the time to wait in it is true, and what is changed meanwhile holds soon. */
const REPEATED_MS = 250;

/** One that is forgotten takes the slow path and is refused there. */
const MOST_ADDRESSES = 1000;

export interface Refusal {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface RepeatedRefusals {
  /** Gives this answer for a moment to every request for the path. */
  keep(path: string, refusal: Refusal): void;
  /** Passes on what no refusal is kept for. */
  inFront(next: RequestListener): RequestListener;
}

/** Refusals that hold for every caller: a flood of requests is answered by a few a second that take the slow path. */
export function createRepeatedRefusals(clock: Clock): RepeatedRefusals {
  const kept = new LRUCache<string, { refusal: Refusal; until: number }>({ max: MOST_ADDRESSES });
  const now = () => clock.now().getTime();

  function find(path: string): Refusal | undefined {
    const found = kept.get(path);
    if (found === undefined || now() < found.until) return found?.refusal;
    kept.delete(path);
    return undefined;
  }

  return {
    keep(path, refusal) {
      kept.set(path, { refusal, until: now() + REPEATED_MS });
    },
    inFront: (next) => (request, response) => {
      const refusal = kept.size === 0 ? undefined : find(pathOf(request.url ?? ""));
      if (refusal === undefined) return next(request, response);
      const { status, headers, body } = refusal;
      countRequest(undefined, status, performance.now());
      // With a length, as the slow path sends it.
      response
        .writeHead(status, { ...headers, "content-length": Buffer.byteLength(body) })
        .end(body);
    },
  };
}

export function pathOf(url: string): string {
  return url.split("?", 1)[0] ?? url;
}
