import { useSyncExternalStore } from "react";

/**
 * What was tried in this visit, with what was sent: that may be secret, and is kept in the page alone. Earlier runs are
 * those of the log, which has no inputs.
 */
export interface Tried {
  readonly id: number;
  readonly environment: string;
  readonly kind: "dry" | "real" | "request";
  readonly title: string;
  /** Words of the address that lead to it. */
  readonly called: Readonly<Record<string, string | undefined>>;
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

/** When this visit began: what is older is read from the log. */
export const visitBeganAt = Date.now();

let again: number | undefined;

/** Asks for an entry to run once more when its form is shown. */
export function askAgain(id: number): void {
  again = id;
}

/** Whether that was asked for; true once. */
export function takeAgain(id: number): boolean {
  const isAsked = again === id;
  if (isAsked) again = undefined;
  return isAsked;
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
