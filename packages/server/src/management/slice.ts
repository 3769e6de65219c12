import { managementMcpRoutes } from "@jackfield/contract";
import { serveRoutes } from "#foundation/http";
import { defineSlice } from "#slice";
import { managementHandlers } from "./routes.ts";

export const management = defineSlice({
  routes: serveRoutes(managementMcpRoutes, managementHandlers),
});
