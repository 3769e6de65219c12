import { integrationRoutes } from "@jackfield/contract";
import { serveRoutes } from "#foundation/http";
import { defineSlice } from "#slice";
import { bindTasks } from "#tasks";
import { deleteOldOutages } from "./outages/note-outage.ts";
import { integrationHandlers } from "./routes.ts";
import { integrationRuntime } from "./runtime.ts";
import { removeDeletedIntegrations } from "./save/remove-deleted-integrations.ts";
import { integrationTaskHandlers } from "./save/task-handlers.ts";
import { integrationTasks } from "./tasks.ts";

export const integrations = defineSlice({
  routes: serveRoutes(integrationRoutes, integrationHandlers),
  tasks: bindTasks(integrationTasks, integrationTaskHandlers),
  runtime: integrationRuntime,
  daily: [deleteOldOutages, removeDeletedIntegrations],
  sealedColumns: [
    {
      table: "integrations",
      column: "credentials",
      key: [["id", "bigint"]],
      row: "t.id",
    },
  ],
});
