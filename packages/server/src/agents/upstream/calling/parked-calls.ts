import { LRUCache } from "lru-cache";
import { MINUTE, serverState } from "#foundation";
import type { RunningCall, Step } from "./running-call.ts";

export interface ParkedCall {
  readonly call: RunningCall;
  readonly step: Extract<Step, { kind: "asked" }>;
}

/**
 * Calls to servers of earlier revisions that wait within this process for their user's answer, by the id under which
 * the rest is kept. They hold a connection each, so there are few, and not for long.
 */
export const parkedCalls = serverState(
  () =>
    new LRUCache<string, ParkedCall>({
      ...{ max: 200, ttl: MINUTE, ttlAutopurge: true },
      dispose: ({ call }, _id, reason) => {
        if (reason !== "delete") call.end();
      },
    }),
);
