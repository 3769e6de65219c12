import type { TaskHandlers } from "#tasks";
import { dropEnvironment } from "./erasure/drop-environment.ts";
import { eraseRecords } from "./erasure/erase-records.ts";
import type { recordTasks } from "./tasks.ts";

export const recordTaskHandlers: TaskHandlers<typeof recordTasks> = {
  removeConnections: async (ctx, { environmentId, connections }) => {
    await eraseRecords(ctx, environmentId, connections);
  },
  removeConnection: async (ctx, { environmentId, connection }) => {
    await eraseRecords(ctx, environmentId, [connection]);
  },
  dropEnvironment: async (ctx, { environmentId }) => await dropEnvironment(ctx, environmentId),
};
