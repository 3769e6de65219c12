import { useEffect, useSyncExternalStore } from "react";
import { ApiError } from "../api.ts";
import { queryClient } from "../query-client.ts";

/** The server, or what it needs, does not answer. */
export interface Outage {
  readonly since: number;
  /** HTTP status; 0 where no answer comes at all. */
  readonly status: number;
  /** When data last came; undefined before the first. */
  readonly lastDataAt: number | undefined;
}

/** How often what could not be read is read again. */
export const RETRY_EVERY_MS = 10_000;

let outage: Outage | undefined;
let lastDataAt: number | undefined;
const listeners = new Set<() => void>();

function set(next: Outage | undefined): void {
  if (next === outage) return;
  outage = next;
  for (const listener of listeners) listener();
}

/** Calls that wait are no word on the server: only what an ended one says counts. */
queryClient.getQueryCache().subscribe((event) => {
  if (event.type !== "updated") return;
  const { action } = event;
  if (action.type === "success") {
    lastDataAt = Date.now();
    set(undefined);
    return;
  }
  if (action.type !== "error" && action.type !== "failed") return;
  const status = action.error instanceof ApiError ? action.error.status : undefined;
  if (status === undefined || !isAway(status)) return;
  set(
    outage?.status === status ? outage : { since: outage?.since ?? Date.now(), status, lastDataAt },
  );
});

/** Whether the server, or what it needs, does not answer: that passes. */
export function isAway(status: number): boolean {
  return status === 0 || status === 502 || status === 503 || status === 504;
}

/** Reads again what is shown. */
export async function retryAll(): Promise<void> {
  await queryClient.refetchQueries({ type: "active" });
}

/** The outage that lasts; while it does, what is shown is read again and again. */
export function useOutage(): Outage | undefined {
  const now = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => outage,
  );
  const isAwayNow = now !== undefined;
  useEffect(() => {
    if (!isAwayNow) return;
    const timer = setInterval(() => void retryAll(), RETRY_EVERY_MS);
    return () => clearInterval(timer);
  }, [isAwayNow]);
  return now;
}
