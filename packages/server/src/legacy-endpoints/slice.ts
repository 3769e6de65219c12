import { endpointRoutes } from "@jackfield/contract";
import { serveRoutes } from "#foundation/http";
import { defineSlice } from "#slice";
import { endpointHandlers } from "./routes.ts";

export const legacyEndpoints = defineSlice({
  routes: serveRoutes(endpointRoutes, endpointHandlers),
});
