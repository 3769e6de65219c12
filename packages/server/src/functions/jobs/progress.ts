import { setTimeout as wait } from "node:timers/promises";
import { type EnvironmentContext, reasonOf } from "#foundation";
import { sealJson } from "#vault";
import { updateProgress } from "./store.ts";

const STORED_EVERY_MS = 500;

/**
 * Runs a dry run, and meanwhile stores what it has printed, so that who waits for it can read along. What cannot be
 * stored is in the outcome all the same.
 */
export async function whileShowing<Result>(
  ctx: EnvironmentContext,
  { jobId, printed }: { readonly jobId: string; readonly printed: () => string },
  run: () => Promise<Result>,
): Promise<Result> {
  const ended = new AbortController();
  const showing = show(ctx, { jobId, printed, signal: ended.signal });
  try {
    return await run();
  } finally {
    ended.abort();
    await showing;
  }
}

async function show(
  ctx: EnvironmentContext,
  given: {
    readonly jobId: string;
    readonly printed: () => string;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const { jobId: id, printed, signal } = given;
  const environmentId = ctx.environment.id;
  const slot = { environmentId, table: "function_jobs", column: "progress", row: id };
  let shown = "";
  while (!signal.aborted) {
    await wait(STORED_EVERY_MS, undefined, { signal }).catch(() => undefined);
    const text = printed();
    if (signal.aborted || text === shown) continue;
    try {
      const progress = await sealJson(ctx, slot, text);
      await updateProgress(ctx.db, environmentId, { id, progress });
      shown = text;
    } catch (error) {
      ctx.log.warn("functions.progress_not_stored", { jobId: id, reason: reasonOf(error) });
    }
  }
}
