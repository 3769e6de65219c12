import { LRUCache } from "lru-cache";
import { type OperationId, type SystemContext, serverState } from "#foundation";

/** Successful calls of a run that are logged at any share. */
const FIRST_CALLS = 5;
const MAX_RUNS = 10_000;

/** Successful calls of the runs that made one last. */
const successes = serverState(() => new LRUCache<OperationId, number>({ max: MAX_RUNS }));

/** Whether a successful call to a provider is logged: a share of all, and the first ones of each run. */
export function isCallKept(
  ctx: Pick<SystemContext, "state">,
  run: OperationId | undefined,
  share: number,
): boolean {
  if (share >= 1) return true;
  const isEarly = run !== undefined && countCall(successes.of(ctx), run) <= FIRST_CALLS;
  return isEarly || Math.random() < share;
}

function countCall(counts: LRUCache<OperationId, number>, run: OperationId): number {
  const count = (counts.get(run) ?? 0) + 1;
  counts.set(run, count);
  return count;
}
