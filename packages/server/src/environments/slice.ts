import { environmentRoutes } from "@jackfield/contract";
import { serveRoutes } from "#foundation/http";
import { defineSlice } from "#slice";
import { eraseEnvironments } from "./erasure/erase-environments.ts";
import { removeDeletedKeys } from "./keys/remove-deleted-keys.ts";
import { environmentHandlers } from "./routes.ts";
import { environmentRuntime } from "./runtime.ts";

export const environments = defineSlice({
  routes: serveRoutes(environmentRoutes, environmentHandlers),
  runtime: environmentRuntime,
  daily: [eraseEnvironments, removeDeletedKeys],
  sealedColumns: [
    {
      table: "environment_variables",
      column: "value",
      key: [
        ["environment_id", "uuid"],
        ["name", "text"],
      ],
      row: "t.name",
    },
    {
      table: "webhook_signing_keys",
      column: "key",
      key: [["id", "uuid"]],
      row: "t.id",
    },
  ],
});
