import { mcpRoutes } from "@jackfield/contract";
import { serveRoutes } from "#foundation/http";
import { defineSlice } from "#slice";
import { deleteOldQuestions } from "./questions/client-channel.ts";
import { deleteExpiredResults } from "./results/tool-results.ts";
import { mcpHandlers } from "./routes.ts";

export const mcp = defineSlice({
  routes: serveRoutes(mcpRoutes, mcpHandlers),
  daily: [deleteExpiredResults, deleteOldQuestions],
  sealedColumns: [
    { table: "tool_results", column: "value", key: [["id", "uuid"]], row: "t.id" },
    { table: "tool_questions", column: "answer", key: [["id", "uuid"]], row: "t.id" },
  ],
});
