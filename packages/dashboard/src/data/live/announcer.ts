import { useSyncExternalStore } from "react";

/** Who listens to a page instead of seeing it is not interrupted more often. */
const SPOKEN_EVERY_MS = 10_000;

let spoken = "";
let spokenAt = Number.NEGATIVE_INFINITY;
let next: string | undefined;
let isWaiting = false;
const listeners = new Set<() => void>();

/** Has a text read out, the latest one of those that come too soon. */
export function announce(text: string): void {
  next = text;
  if (isWaiting) return;
  isWaiting = true;
  setTimeout(speak, Math.max(0, spokenAt + SPOKEN_EVERY_MS - performance.now()));
}

export function useAnnounced(): string {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => spoken,
  );
}

function speak(): void {
  isWaiting = false;
  spoken = next ?? "";
  spokenAt = performance.now();
  for (const listener of listeners) listener();
}
