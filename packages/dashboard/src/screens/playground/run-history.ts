import { useSyncExternalStore } from "react";

/** What was tried in this visit. It is kept in the page alone: inputs may hold what is nobody's business. */
export interface Tried {
  readonly id: number;
  readonly environment: string;
  readonly kind: "dry" | "real" | "request";
  readonly title: string;
  readonly connection: string;
  readonly at: string;
  readonly isGood: boolean;
  /** Text of the input, to be taken again. */
  readonly input: string;
}

const MOST = 20;
let tried: readonly Tried[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

export function addTried(entry: Omit<Tried, "id" | "at">): void {
  lastId += 1;
  tried = [{ ...entry, id: lastId, at: new Date().toISOString() }, ...tried].slice(0, MOST);
  for (const listener of listeners) listener();
}

export function useTried(): readonly Tried[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => tried,
  );
}
