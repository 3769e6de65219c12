import {
  agentCallRoutes,
  agentSessionRoutes,
  toolsetMcpRoutes,
  toolsetRoutes,
} from "@jackfield/contract";
import { serveRoutes } from "#platform/http";
import { defineSlice } from "#slice";
import { agentCallHandlers } from "./calls/routes.ts";
import { agentDayTables, deleteOldAgentRows } from "./delete-old.ts";
import { toolsetMcpHandlers } from "./serving/routes.ts";
import { agentSessionHandlers } from "./sessions/routes.ts";
import { toolsetHandlers } from "./toolsets/routes.ts";

export const agents = defineSlice({
  routes: [
    ...serveRoutes(toolsetRoutes, toolsetHandlers),
    ...serveRoutes(agentSessionRoutes, agentSessionHandlers),
    ...serveRoutes(agentCallRoutes, agentCallHandlers),
    ...serveRoutes(toolsetMcpRoutes, toolsetMcpHandlers),
  ],
  daily: [deleteOldAgentRows],
  dayTables: agentDayTables,
});
