import type { Query } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { ApiError } from "../api.ts";
import { queryClient } from "../query-client.ts";

/** Errors that the page shows where they belong, with how often. */
const shown = new Map<unknown, number>();
const listeners = new Set<() => void>();

/** A part that shows a failure has a moment to appear. */
const SETTLE_MS = 300;

function count(error: unknown, by: 1 | -1): void {
  const times = (shown.get(error) ?? 0) + by;
  if (times === 0) shown.delete(error);
  else shown.set(error, times);
  for (const listener of listeners) listener();
}

/** For who shows a failure of reading: the page need not say it again. */
export function useShownFault(error: unknown): void {
  useEffect(() => {
    count(error, 1);
    return () => count(error, -1);
  }, [error]);
}

/** A failure of something that the page reads and that none of its parts shows; undefined where there is none. */
export function useUnshownFault(): Error | undefined {
  const [fault, setFault] = useState<Error>();
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        setFault(findUnshown());
      }, SETTLE_MS);
    };
    look();
    listeners.add(look);
    const stop = queryClient.getQueryCache().subscribe(look);
    return () => {
      listeners.delete(look);
      stop();
      clearTimeout(timer);
    };
  }, []);
  return fault;
}

/** Reads again what failed. */
export async function retryUnread(): Promise<void> {
  await queryClient.refetchQueries({ type: "active", predicate: isFailed });
}

function findUnshown(): Error | undefined {
  const failed = queryClient.getQueryCache().findAll({ type: "active", predicate: isFailed });
  return (
    failed.map(({ state }) => state.error).find((error) => error !== null && !shown.has(error)) ??
    undefined
  );
}

/** What is forbidden, gone or wrong is an answer; what the server could not do is not. */
function isFailed({ state: { error } }: Query): boolean {
  if (error === null) return false;
  return (
    !(error instanceof ApiError) ||
    error.status === 0 ||
    error.status === 429 ||
    error.status >= 500
  );
}
