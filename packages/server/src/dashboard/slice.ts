import { dashboardRoutes } from "@jackfield/contract";
import { serveRoutes } from "#foundation/http";
import { defineSlice } from "#slice";
import { dashboardHandlers } from "./routes.ts";

export const dashboard = defineSlice({
  routes: serveRoutes(dashboardRoutes, dashboardHandlers),
});
