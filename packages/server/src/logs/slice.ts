import { logRoutes } from "@jackfield/contract";
import { serveRoutes } from "#platform/http";
import { defineSlice } from "#slice";
import { dropOldPartitions } from "./drop-old-partitions.ts";
import { logTables } from "./ensure-log-partitions.ts";
import { logHandlers } from "./reading/routes.ts";
import { expireOperations } from "./recording/expire-operations.ts";

export const logs = defineSlice({
  routes: serveRoutes(logRoutes, logHandlers),
  daily: [dropOldPartitions, expireOperations],
  dayTables: logTables,
});
