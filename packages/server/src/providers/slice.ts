import { connectStageRoutes, customProviderRoutes, providerRoutes } from "@jackfield/contract";
import { serveRoutes } from "#foundation/http";
import { defineSlice } from "#slice";
import { providerHandlers } from "./routes.ts";
import { deleteOldStageCounts } from "./stages/delete-old-stage-counts.ts";

export const providers = defineSlice({
  routes: serveRoutes(
    { ...providerRoutes, ...customProviderRoutes, ...connectStageRoutes },
    providerHandlers,
  ),
  daily: [deleteOldStageCounts],
});
