import {
  agentApprovalRoutes,
  agentCallRoutes,
  agentOauthRoutes,
  agentRoutes,
  agentSessionRoutes,
  agentSignInRoutes,
  agentUpstreamRoutes,
  apiDocumentRoutes,
  approvalPageRoutes,
  connectionMcpRoutes,
  toolsetMcpRoutes,
  toolsetRoutes,
} from "@jackfield/contract";
import { serveRoutes } from "#foundation/http";
import { defineSlice } from "#slice";
import { bindTasks } from "#tasks";
import { approvalPageHandlers } from "./approvals/page/routes.ts";
import { agentApprovalHandlers } from "./approvals/routes.ts";
import { agentCallHandlers } from "./calls/routes.ts";
import { agentToolHandlers } from "./catalogue/routes.ts";
import { agentDayTables, deleteOldAgentRows } from "./delete-old.ts";
import { agentOauthHandlers } from "./oauth/routes.ts";
import { apiDocumentHandlers } from "./openapi/routes.ts";
import { toolsetMcpHandlers } from "./serving/routes.ts";
import { agentSessionHandlers } from "./sessions/routes.ts";
import { agentSignInHandlers } from "./sign-in/routes.ts";
import { toolsetHandlers } from "./toolsets/routes.ts";
import { upstreamTaskHandlers } from "./upstream/after-connect.ts";
import { connectionMcpHandlers } from "./upstream/pass-through.ts";
import { agentUpstreamHandlers } from "./upstream/routes.ts";
import { upstreamTasks } from "./upstream/tasks.ts";
import { createTimedRefresh } from "./upstream/timed/timed-refresh.ts";

export const agents = defineSlice({
  routes: [
    ...serveRoutes(agentRoutes, agentToolHandlers),
    ...serveRoutes(toolsetRoutes, toolsetHandlers),
    ...serveRoutes(apiDocumentRoutes, apiDocumentHandlers),
    ...serveRoutes(agentSessionRoutes, agentSessionHandlers),
    ...serveRoutes(agentCallRoutes, agentCallHandlers),
    ...serveRoutes(agentApprovalRoutes, agentApprovalHandlers),
    ...serveRoutes(approvalPageRoutes, approvalPageHandlers),
    ...serveRoutes(agentSignInRoutes, agentSignInHandlers),
    ...serveRoutes(agentOauthRoutes, agentOauthHandlers),
    ...serveRoutes(toolsetMcpRoutes, toolsetMcpHandlers),
    ...serveRoutes(agentUpstreamRoutes, agentUpstreamHandlers),
    ...serveRoutes(connectionMcpRoutes, connectionMcpHandlers),
  ],
  tasks: bindTasks(upstreamTasks, upstreamTaskHandlers),
  due: [createTimedRefresh],
  daily: [deleteOldAgentRows],
  dayTables: agentDayTables,
  sealedColumns: [
    {
      table: "agent_sign_ins",
      column: "client_secret",
      key: [["environment_id", "uuid"]],
      row: "t.environment_id",
    },
    { table: "agent_approvals", column: "shown", key: [["id", "uuid"]], row: "t.id" },
    { table: "agent_deferred_calls", column: "call", key: [["id", "uuid"]], row: "t.id" },
    { table: "agent_deferred_calls", column: "asked", key: [["id", "uuid"]], row: "t.id" },
    { table: "agent_deferred_calls", column: "result", key: [["id", "uuid"]], row: "t.id" },
    { table: "agent_texts_seen", column: "filter", key: [["id", "uuid"]], row: "t.id" },
    { table: "agent_scripts", column: "code", key: [["id", "uuid"]], row: "t.id" },
    { table: "agent_scripts", column: "answer", key: [["id", "uuid"]], row: "t.id" },
    {
      table: "agent_script_calls",
      column: "answer",
      key: [
        ["script_id", "uuid"],
        ["position", "bigint"],
      ],
      row: "t.script_id || '/' || t.position",
    },
    { table: "agent_oauth_items", column: "payload", key: [["id", "uuid"]], row: "t.id" },
  ],
});
