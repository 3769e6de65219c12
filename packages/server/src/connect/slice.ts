import { connectRoutes } from "@jackfield/contract";
import { serveRoutes } from "#foundation/http";
import { defineSlice } from "#slice";
import { deleteOldStepCounts } from "./funnel/delete-old-counts.ts";
import { connectHandlers } from "./routes.ts";
import { deleteOldSessions } from "./sessions/delete-old-sessions.ts";

export const connect = defineSlice({
  routes: serveRoutes(connectRoutes, connectHandlers),
  daily: [deleteOldSessions, deleteOldStepCounts],
  sealedColumns: [
    {
      table: "connect_sessions",
      column: "defaults",
      key: [["id", "uuid"]],
      row: "t.id",
    },
    {
      table: "authorization_flows",
      column: "secrets",
      key: [["id", "uuid"]],
      row: "t.id",
    },
  ],
});
