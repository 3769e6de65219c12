import { installationRoutes } from "@jackfield/contract";
import { serveRoutes } from "#foundation/http";
import { defineSlice } from "#slice";
import { statusHandlers } from "./routes.ts";

export const status = defineSlice({
  routes: serveRoutes(installationRoutes, statusHandlers),
});
