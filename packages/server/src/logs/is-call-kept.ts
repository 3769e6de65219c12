import type { OperationId } from "#platform";

/** Successful calls of a run that are logged at any share. */
const FIRST_CALLS = 5;
const MAX_RUNS = 10_000;

/** Successful calls of the runs that made one last. */
const counts = new Map<OperationId, number>();

/** Whether a successful call to a provider is logged: a share of all, and the first ones of each run. */
export function isCallKept(run: OperationId | undefined, share: number): boolean {
  if (share >= 1) return true;
  const isEarly = run !== undefined && countCall(run) <= FIRST_CALLS;
  return isEarly || Math.random() < share;
}

function countCall(run: OperationId): number {
  const count = (counts.get(run) ?? 0) + 1;
  counts.delete(run);
  counts.set(run, count);
  const [oldest] = counts.keys();
  if (counts.size > MAX_RUNS && oldest !== undefined) counts.delete(oldest);
  return count;
}
