import { connectRoutes } from "@jackfield/contract";
import { serveRoutes } from "#platform/http";
import { defineSlice } from "#slice";
import { deleteOldSessions } from "./delete-old-sessions.ts";
import { connectHandlers } from "./routes.ts";

export const connect = defineSlice({
  routes: serveRoutes(connectRoutes, connectHandlers),
  daily: [deleteOldSessions],
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
