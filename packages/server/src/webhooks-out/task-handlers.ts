import type { TaskHandlers } from "#tasks";
import { replayBatch } from "./deliveries/replay-batch.ts";
import type { webhookTasks } from "./tasks.ts";

export const webhookTaskHandlers: TaskHandlers<typeof webhookTasks> = {
  replay: async (ctx, payload) => {
    while ((await replayBatch(ctx, payload))?.endedAt === null) ctx.signal.throwIfAborted();
  },
};
