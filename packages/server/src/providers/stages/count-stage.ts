import type { ConnectStage } from "@jackfield/contract";
import { type EnvironmentContext, type EnvironmentId, serverState } from "#foundation";
import { CountBuffer } from "#foundation/db";
import { addStageCounts, type StageCount } from "./store.ts";

type Owner = Pick<EnvironmentContext, "state" | "db" | "log">;

const counter = serverState(
  ({ log }: Pick<EnvironmentContext, "log">) =>
    new CountBuffer<StageCount>({
      log,
      keyOf: ({ environmentId, provider, stage, day }) =>
        JSON.stringify([environmentId, provider, stage, day]),
      add: (known, count) => ({
        ...count,
        succeeded: known.succeeded + count.succeeded,
        failed: known.failed + count.failed,
      }),
      write: addStageCounts,
      delayed: "providers.counts_delayed",
    }),
);

/** Counts how a stage of connecting to the provider ended, on the day it did; nothing is written yet. */
export function countStage(
  ctx: Owner & Pick<EnvironmentContext, "clock"> & { environment: { id: EnvironmentId } },
  provider: string,
): (stage: ConnectStage, outcome: "succeeded" | "failed") => void {
  return (stage, outcome) =>
    counter.of(ctx).add(ctx.db, {
      environmentId: ctx.environment.id,
      provider,
      stage,
      day: ctx.clock.now().toISOString().slice(0, 10),
      succeeded: outcome === "succeeded" ? 1 : 0,
      failed: outcome === "failed" ? 1 : 0,
    });
}

/** Writes what has been counted; called at shutdown, and before this process answers with counts. */
export async function flushStageCounts(ctx: Owner): Promise<void> {
  await counter.of(ctx).flush();
}
