import type { EnvironmentContext } from "#foundation";
import { withTransaction } from "#foundation/db";
import { readTarget, startTracking } from "#records";
import type { RuntimeCall } from "#slice";
import { getCheckpoint, saveCheckpoint } from "./checkpoints/run-checkpoints.ts";
import { startSyncs } from "./control/pause-syncs.ts";
import { triggerSyncs } from "./control/trigger-syncs.ts";
import { requireLease } from "./runs/require-lease.ts";

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
  trackDeletesStart: async (
    ctx: EnvironmentContext,
    { run, params }: RuntimeCall<"trackDeletesStart">,
  ) => {
    const target = readTarget(run, params.model);
    const goesOn = (await getCheckpoint(ctx, run)) !== null;
    await withTransaction(ctx, async (ctx) => {
      await startTracking(ctx, { ...target, by: run, goesOn });
      // After the model, as every batch does it: the other way round both could wait for each other.
      await requireLease(ctx, run);
    });
    return { value: null };
  },
  triggerSync: async (ctx: EnvironmentContext, { params }: RuntimeCall<"triggerSync">) => {
    const { providerConfigKey: integrationKey, connectionId, sync, reset, emptyCache } = params;
    const target = { integrationKey, connectionId, syncs: [sync] };
    await triggerSyncs(ctx, { ...target, wish: { reset, emptyCache } });
    return { value: null };
  },
  startSync: async (ctx: EnvironmentContext, { params }: RuntimeCall<"startSync">) => {
    const { providerConfigKey: integrationKey, connectionId, syncs } = params;
    await startSyncs(ctx, { integrationKey, connectionId, syncs });
    return { value: null };
  },
};
