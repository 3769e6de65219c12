import { meRoutes, signInRoutes, userRoutes } from "@jackfield/contract";
import { serveRoutes } from "#platform/http";
import { defineSlice } from "#slice";
import { deleteOldSignIns } from "./delete-old-sign-ins.ts";
import { meHandlers } from "./me-routes.ts";
import { signInHandlers } from "./sign-in-routes.ts";
import { userHandlers } from "./user-routes.ts";

export const people = defineSlice({
  routes: [
    ...serveRoutes(signInRoutes, signInHandlers),
    ...serveRoutes(meRoutes, meHandlers),
    ...serveRoutes(userRoutes, userHandlers),
  ],
  daily: [deleteOldSignIns],
});
