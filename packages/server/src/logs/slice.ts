import { logRoutes, metricRoutes } from "@jackfield/contract";
import { serveRoutes } from "#foundation/http";
import { defineSlice } from "#slice";
import { dropOldPartitions } from "./drop-old-partitions.ts";
import { ensureLogPartitions, logTables } from "./ensure-log-partitions.ts";
import { dropOldCounts, metricTables } from "./metrics/count-tables.ts";
import { metricHandlers } from "./metrics/routes.ts";
import { logHandlers } from "./reading/routes.ts";
import { expireOperations } from "./recording/expire-operations.ts";

export const logs = defineSlice({
  routes: [...serveRoutes(logRoutes, logHandlers), ...serveRoutes(metricRoutes, metricHandlers)],
  daily: [ensureLogPartitions, dropOldPartitions, dropOldCounts, expireOperations],
  dayTables: [...logTables, ...metricTables],
});
