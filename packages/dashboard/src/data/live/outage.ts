import { notifyManager } from "@tanstack/react-query";
import { useEffect, useSyncExternalStore } from "react";
import { ApiError } from "../api.ts";
import { queryClient } from "../query-client.ts";

/** The server, or what it needs, does not answer. */
export interface Outage {
  readonly since: number;
  /** HTTP status; 0 where no answer comes at all. */
  readonly status: number;
}

/** How often what could not be read is read again. */
export const RETRY_EVERY_MS = 10_000;

let outage: Outage | undefined;
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
    set(undefined);
    return;
  }
  if (action.type !== "error" && action.type !== "failed") return;
  const status = action.error instanceof ApiError ? action.error.status : undefined;
  if (status === undefined || !isAway(status)) return;
  set(outage?.status === status ? outage : { since: outage?.since ?? Date.now(), status });
});

/** Whether the server, or what it needs, does not answer: that passes. */
export function isAway(status: number): boolean {
  return status === 0 || status === 502 || status === 503 || status === 504;
}

/** Who has signed in, and the counts of the menu stand around every screen. */
function isOfFrame([name, , part]: readonly unknown[]): boolean {
  return name === "me" || name === "sign-in-state" || (name === "problems" && part === "open");
}

/** When the newest data of the screen was read; undefined where it has none. */
export function useLastDataAt(): number | undefined {
  return useSyncExternalStore(
    (listener) => queryClient.getQueryCache().subscribe(notifyManager.batchCalls(listener)),
    lastDataAt,
  );
}

function lastDataAt(): number | undefined {
  const shown = queryClient.getQueryCache().findAll({ type: "active" });
  const times = shown
    .filter(({ queryKey }) => !isOfFrame(queryKey))
    .map(({ state }) => state.dataUpdatedAt);
  return Math.max(0, ...times) || undefined;
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
