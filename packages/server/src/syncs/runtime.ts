import type { RuntimeCall } from "#functions";
import type { EnvironmentContext } from "#platform";
import { getCheckpoint, saveCheckpoint } from "./run-checkpoints.ts";

/** Calls of running functions that this slice answers. */
export const syncRuntime = {
  getCheckpoint: async (ctx: EnvironmentContext, { run }: RuntimeCall<"getCheckpoint">) => {
    const checkpoint = await getCheckpoint(ctx, run);
    return { value: checkpoint === null ? null : { ...checkpoint } };
  },
  saveCheckpoint: async (
    ctx: EnvironmentContext,
    { run, params }: RuntimeCall<"saveCheckpoint">,
  ) => {
    await saveCheckpoint(ctx, run, params.checkpoint);
    return { value: null };
  },
  clearCheckpoint: async (ctx: EnvironmentContext, { run }: RuntimeCall<"clearCheckpoint">) => {
    await saveCheckpoint(ctx, run, null);
    return { value: null };
  },
};
