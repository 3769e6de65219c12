import { bulkRoutes } from "@jackfield/contract";
import { serveRoutes } from "#foundation/http";
import { defineSlice } from "#slice";
import { bindTasks } from "#tasks";
import { bulkHandlers } from "./routes.ts";
import { bulkTaskHandlers, keepJobs } from "./run-job.ts";
import { bulkTasks } from "./tasks.ts";

export const bulk = defineSlice({
  routes: serveRoutes(bulkRoutes, bulkHandlers),
  tasks: bindTasks(bulkTasks, bulkTaskHandlers),
  daily: [keepJobs],
});
