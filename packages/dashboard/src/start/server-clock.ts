/** By how much the clock of this computer is ahead of the server's, in milliseconds; undefined before it is known. */
let aheadMs: number | undefined;
const listeners = new Set<() => void>();

/** HTTP writes times to the second. */
const HALF_SECOND_MS = 500;

/** Of an answer that has just come, and that no cache has kept. */
export function noteServerTime(answer: Response): void {
  const at = Date.parse(answer.headers.get("date") ?? "");
  if (Number.isNaN(at)) return;
  aheadMs = Date.now() - (at + HALF_SECOND_MS);
  for (const listener of listeners) listener();
}

export function clockAheadMs(): number | undefined {
  return aheadMs;
}

/** Gives what ends it. */
export function onServerTime(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
