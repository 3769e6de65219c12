import { mcpRoutes } from "@jackfield/contract";
import { serveRoutes } from "#platform/http";
import { defineSlice } from "#slice";
import { mcpHandlers } from "./routes.ts";

export const mcp = defineSlice({
  routes: serveRoutes(mcpRoutes, mcpHandlers),
});
