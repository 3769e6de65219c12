import { oldPlatformRoutes } from "@jackfield/contract";
import { serveRoutes } from "#foundation/http";
import { defineSlice } from "#slice";
import { oldPlatformHandlers } from "./routes.ts";

export const oldPlatforms = defineSlice({
  routes: serveRoutes(oldPlatformRoutes, oldPlatformHandlers),
  sealedColumns: [
    { table: "old_platforms", column: "secret_key", key: [["id", "uuid"]], row: "t.id" },
    {
      table: "old_platform_connections",
      column: "taken",
      key: [["connection_uuid", "uuid"]],
      row: "t.connection_uuid",
    },
  ],
});
