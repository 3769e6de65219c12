import { sqlAccessRoutes } from "@jackfield/contract";
import { serveRoutes } from "#foundation/http";
import { defineSlice } from "#slice";
import { bindTasks } from "#tasks";
import { dropAccess } from "./end-access.ts";
import { guardLogins, suspendWhileOff } from "./guard-logins.ts";
import { sqlAccessHandlers } from "./routes.ts";
import { sqlAccessTasks } from "./tasks.ts";
import { followModels } from "./views/follow-models.ts";

export const sqlAccess = defineSlice({
  routes: serveRoutes(sqlAccessRoutes, sqlAccessHandlers),
  tasks: bindTasks(sqlAccessTasks, {
    drop: async (ctx, { role }) => await dropAccess(ctx, role),
  }),
  due: [() => guardLogins, () => followModels],
  daily: [suspendWhileOff],
});
