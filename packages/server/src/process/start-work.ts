import type { SystemContext } from "#foundation";
import { allOf } from "#slice";
import { createKeyedWork, startWorkers, type Workers } from "#tasks";
import { slices } from "../app.ts";
import type { AppOptions } from "../app-options.ts";
import { ensureDayPartitions } from "./ensure-day-partitions.ts";

/** So a worker may miss one sign of life. */
const HEARTBEAT_SHARE = 0.4;

/** The workers of a process: every task, every due work, every chore. */
export async function startWork(
  ctx: SystemContext,
  { config, directUrl: connectionString, isDeaf }: AppOptions,
): Promise<Workers> {
  return await startWorkers({
    connectionString,
    pooled: isDeaf,
    log: ctx.log,
    makeContext: (signal) => ({ ...ctx, signal }),
    dataDir: config.dataDir,
    runSlots: config.runSlots,
    silentMs: config.workerTimeoutMs,
    heartbeatMs: config.workerTimeoutMs * HEARTBEAT_SHARE,
    tasks: allOf(slices, "tasks"),
    channel: ctx.notices,
    due: [
      createKeyedWork(allOf(slices, "keyedTasks")),
      ...allOf(slices, "due").map((createWork) => createWork()),
    ],
    daily: [ensureDayPartitions, ...allOf(slices, "daily")],
  });
}
