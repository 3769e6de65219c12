import { endUserRoutes } from "@jackfield/contract";
import { serveRoutes } from "#foundation/http";
import { defineSlice } from "#slice";
import { bindTasks } from "#tasks";
import { endUserHandlers } from "./routes.ts";
import { erasureTaskHandlers, resumeErasures } from "./run-erasure.ts";
import { erasureTasks } from "./tasks.ts";

export const endUsers = defineSlice({
  routes: serveRoutes(endUserRoutes, endUserHandlers),
  tasks: bindTasks(erasureTasks, erasureTaskHandlers),
  daily: [resumeErasures],
  sealedColumns: [{ table: "erasures", column: "subject", key: [["id", "uuid"]], row: "t.id" }],
});
