import { installationStatusRoutes } from "@jackfield/contract";
import { serveRoutes } from "#platform/http";
import { defineSlice } from "#slice";
import { installationHandlers } from "./routes.ts";

export const installation = defineSlice({
  routes: serveRoutes(installationStatusRoutes, installationHandlers),
});
