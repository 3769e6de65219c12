import { meRoutes, signInRoutes } from "@jackfield/contract";
import { serveRoutes } from "#platform/http";
import { defineSlice } from "#slice";
import { deleteOldSignIns } from "./delete-old-sign-ins.ts";
import { meHandlers, signInHandlers } from "./routes.ts";

export const people = defineSlice({
  routes: [...serveRoutes(signInRoutes, signInHandlers), ...serveRoutes(meRoutes, meHandlers)],
  daily: [deleteOldSignIns],
});
