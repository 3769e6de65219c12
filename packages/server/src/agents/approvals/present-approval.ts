import type { agentApprovalRoutes, RouteOutput } from "@jackfield/contract";
import type { Approval } from "./approval.ts";

type PresentedApproval = RouteOutput<typeof agentApprovalRoutes.listAgentApprovals>["data"][number];

/** Without arguments and request, which are for who may approve. */
export function presentApproval(approval: Approval): PresentedApproval {
  return {
    ...{ id: approval.id, session_id: approval.sessionId, end_user_id: approval.endUserId },
    ...{ toolset: approval.toolset, tool: approval.tool, integration: approval.integration },
    ...{ connection_id: approval.connectionId, effect: approval.effect, state: approval.state },
    ...{ scope: approval.scope, reason: approval.reason },
    created_at: approval.createdAt.toISOString(),
    expires_at: approval.expiresAt.toISOString(),
    decided_at: approval.decidedAt?.toISOString() ?? null,
    ...{ approver: approval.approver, decided_by: approval.decidedBy },
  };
}
