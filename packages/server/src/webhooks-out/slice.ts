import { webhookDeliveryRoutes } from "@jackfield/contract";
import { serveRoutes } from "#foundation/http";
import { defineSlice } from "#slice";
import { bindTasks } from "#tasks";
import type { SealedColumn } from "#vault";
import { readDeliveryBacklog } from "./backlog/store.ts";
import { deleteOldDeliveries, webhookDayTables } from "./delete-old-deliveries.ts";
import { removeUnusedReceivers } from "./receivers/remove-unused-receivers.ts";
import { webhookDeliveryHandlers } from "./routes.ts";
import { createHeadSending } from "./send-audit-head.ts";
import { createDeliveryWork } from "./sending/delivery-work.ts";
import { webhookTaskHandlers } from "./task-handlers.ts";
import { webhookTasks } from "./tasks.ts";

const ofEnvironment: Pick<SealedColumn, "key" | "together" | "row"> = {
  key: [
    ["id", "uuid"],
    ["environment_id", "uuid"],
  ],
  together: { column: "environment_id", listedIn: "environments" },
  row: "t.id",
};

export const webhooksOut = defineSlice({
  routes: serveRoutes(webhookDeliveryRoutes, webhookDeliveryHandlers),
  tasks: bindTasks(webhookTasks, webhookTaskHandlers),
  due: [createDeliveryWork, createHeadSending],
  daily: [deleteOldDeliveries, removeUnusedReceivers],
  dayTables: webhookDayTables,
  backlogs: [readDeliveryBacklog],
  sealedColumns: [
    { table: "webhook_deliveries", column: "body", ...ofEnvironment },
    { table: "webhook_deliveries", column: "headers", ...ofEnvironment },
    { table: "webhook_payloads", column: "body", ...ofEnvironment },
    { table: "webhook_payloads", column: "headers", ...ofEnvironment },
    {
      ...{ table: "webhook_attempts", column: "answer", ...ofEnvironment },
      // Not those that have outlived their delivery, whose day was dropped.
      join: "join webhook_deliveries d on d.environment_id = t.environment_id and d.id = t.delivery_id",
    },
  ],
});
