import { connectionRoutes } from "@jackfield/contract";
import { serveRoutes } from "#foundation/http";
import { defineSlice } from "#slice";
import { bindTasks } from "#tasks";
import { accountTaskHandlers } from "./account/task-handlers.ts";
import { accountTasks } from "./account/tasks.ts";
import { emptyDeletedConnections } from "./erasure/empty-deleted-connections.ts";
import { removeDeletedConnections } from "./erasure/remove-deleted-connections.ts";
import { createIdleRefreshWork } from "./idle/idle-refresh.ts";
import { sweepRefreshSpool } from "./refresh/replay-spool.ts";
import { connectionTaskHandlers, sweepRevocations } from "./revoke/task-handlers.ts";
import { connectionTasks } from "./revoke/tasks.ts";
import { connectionHandlers } from "./routes.ts";
import { connectionRuntime } from "./runtime.ts";
import { deleteOldUses } from "./uses/list-uses.ts";

export const connections = defineSlice({
  routes: serveRoutes(connectionRoutes, connectionHandlers),
  tasks: [
    ...bindTasks(connectionTasks, connectionTaskHandlers),
    ...bindTasks(accountTasks, accountTaskHandlers),
  ],
  runtime: connectionRuntime,
  due: [createIdleRefreshWork],
  daily: [
    sweepRefreshSpool,
    sweepRevocations,
    emptyDeletedConnections,
    removeDeletedConnections,
    deleteOldUses,
  ],
  sealedColumns: [
    {
      table: "connections",
      column: "credentials",
      key: [["id", "bigint"]],
      row: "t.uuid",
      emptied: "t.deleted_at is not null and octet_length(t.credentials) = 0",
    },
    {
      table: "connections",
      column: "webhook_secret",
      key: [["id", "bigint"]],
      row: "t.uuid",
    },
  ],
});
