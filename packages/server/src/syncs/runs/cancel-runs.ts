import { type EnvironmentContext, type RunId, SECOND, serverState } from "#foundation";
import type { Run, Sync } from "../sync.ts";
import { isStillWanted, requestCancel } from "./store.ts";

const CHECK_EVERY_MS = 2 * SECOND;

/** Runs of this process. */
const running = serverState(() => new Map<RunId, AbortController>());

/** Asks the runs that hold these syncs to stop; in other processes they notice within 2 s. */
export async function cancelRuns(
  ctx: EnvironmentContext,
  syncs: readonly Pick<Sync, "runningRunId">[],
): Promise<RunId[]> {
  const ids = syncs.flatMap(({ runningRunId }) => (runningRunId === null ? [] : [runningRunId]));
  if (ids.length > 0) await requestCancel(ctx.db, ctx.environment.id, ids, ctx.clock.now());
  return ids;
}

/** Stops runs of this process at once, after the request for it was committed. */
export function stopRuns(ctx: Pick<EnvironmentContext, "state">, ids: readonly RunId[]): void {
  for (const id of ids) running.of(ctx).get(id)?.abort();
}

/** A signal that is aborted when the run is cancelled or taken over, while the result is not disposed. */
export function watchRun(
  ctx: EnvironmentContext,
  run: Pick<Run, "id" | "fence">,
): { readonly signal: AbortSignal } & Disposable {
  const controller = new AbortController();
  const runs = running.of(ctx);
  runs.set(run.id, controller);
  const look = async () => {
    if (!(await isStillWanted(ctx.db, ctx.environment.id, run))) controller.abort();
  };
  // Without a database nothing can be written either, and the next look comes soon.
  const timer = setInterval(() => void look().catch(() => undefined), CHECK_EVERY_MS);
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      clearInterval(timer);
      if (runs.get(run.id) === controller) runs.delete(run.id);
    },
  };
}
