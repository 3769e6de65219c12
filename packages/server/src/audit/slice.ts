import { auditRoutes } from "@jackfield/contract";
import { serveRoutes } from "#foundation/http";
import { defineSlice } from "#slice";
import { pruneEvents } from "./chain/prune-events.ts";
import { createSealing } from "./chain/seal-events.ts";
import { deleteOldReads } from "./reads/list-credential-reads.ts";
import { auditHandlers } from "./routes.ts";

export const audit = defineSlice({
  routes: serveRoutes(auditRoutes, auditHandlers),
  due: [createSealing],
  daily: [pruneEvents, deleteOldReads],
});
