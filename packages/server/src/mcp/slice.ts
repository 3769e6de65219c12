import { mcpRoutes } from "@jackfield/contract";
import { serveRoutes } from "#platform/http";
import { defineSlice } from "#slice";
import { deleteExpiredResults } from "./results/tool-results.ts";
import { mcpHandlers } from "./routes.ts";

export const mcp = defineSlice({
  routes: serveRoutes(mcpRoutes, mcpHandlers),
  daily: [deleteExpiredResults],
  sealedColumns: [{ table: "tool_results", column: "value", key: [["id", "uuid"]], row: "t.id" }],
});
