import { simulatorRoutes } from "@jackfield/contract";
import { serveRoutes } from "#foundation/http";
import { defineSlice } from "#slice";
import { simulatorHandlers } from "./routes.ts";

export const simulator = defineSlice({
  routes: serveRoutes(simulatorRoutes, simulatorHandlers),
});
