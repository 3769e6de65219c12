import { revocationRoutes } from "@jackfield/contract";
import { serveRoutes } from "#foundation/http";
import { defineSlice } from "#slice";
import { bindTasks } from "#tasks";
import { createWithdrawWork } from "./items/withdraw-work.ts";
import { revocationHandlers } from "./routes.ts";
import { keepRevocations, revocationTaskHandlers } from "./run-revocation.ts";
import { revocationTasks } from "./tasks.ts";

export const revocations = defineSlice({
  routes: serveRoutes(revocationRoutes, revocationHandlers),
  tasks: bindTasks(revocationTasks, revocationTaskHandlers),
  due: [createWithdrawWork],
  daily: [keepRevocations],
  sealedColumns: [
    {
      table: "revocation_items",
      column: "kept",
      key: [
        ["revocation_id", "uuid"],
        ["position", "bigint"],
      ],
      row: "t.revocation_id || '/' || t.position",
    },
    {
      table: "report_keys",
      column: "private_key",
      key: [["environment_id", "uuid"]],
      row: "t.environment_id",
    },
  ],
});
