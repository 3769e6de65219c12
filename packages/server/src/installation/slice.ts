import { installationStatusRoutes } from "@jackfield/contract";
import { serveRoutes } from "#foundation/http";
import { defineSlice } from "#slice";
import { installationHandlers } from "./routes.ts";

export const installation = defineSlice({
  routes: serveRoutes(installationStatusRoutes, installationHandlers),
});
