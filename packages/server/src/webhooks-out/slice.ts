import { webhookDeliveryRoutes } from "@jackfield/contract";
import { serveRoutes } from "#platform/http";
import { defineSlice } from "#slice";
import { bindTasks } from "#tasks";
import { readDeliveryBacklog } from "./backlog/store.ts";
import { deleteOldDeliveries, webhookDayTables } from "./delete-old-deliveries.ts";
import { removeUnusedReceivers } from "./receivers/remove-unused-receivers.ts";
import { webhookDeliveryHandlers } from "./routes.ts";
import { createHeadSending } from "./send-audit-head.ts";
import { createDeliveryWork } from "./sending/delivery-work.ts";
import { webhookTaskHandlers } from "./task-handlers.ts";
import { webhookTasks } from "./tasks.ts";

export const webhooksOut = defineSlice({
  routes: serveRoutes(webhookDeliveryRoutes, webhookDeliveryHandlers),
  tasks: bindTasks(webhookTasks, webhookTaskHandlers),
  due: [createDeliveryWork, createHeadSending],
  daily: [deleteOldDeliveries, removeUnusedReceivers],
  dayTables: webhookDayTables,
  backlogs: [readDeliveryBacklog],
  sealedColumns: [
    {
      table: "webhook_deliveries",
      column: "body",
      key: [["id", "uuid"]],
      row: "t.id",
    },
    {
      table: "webhook_deliveries",
      column: "headers",
      key: [["id", "uuid"]],
      row: "t.id",
    },
    { table: "webhook_payloads", column: "body", key: [["id", "uuid"]], row: "t.id" },
    { table: "webhook_payloads", column: "headers", key: [["id", "uuid"]], row: "t.id" },
    {
      table: "webhook_attempts",
      column: "answer",
      key: [["id", "uuid"]],
      row: "t.id",
      environment: "d.environment_id",
      join: "join webhook_deliveries d on d.id = t.delivery_id",
    },
  ],
});
