import { agentApprovalRoutes, approvalPageRoutes } from "./agents/agent-approvals.ts";
import { agentSignInRoutes } from "./agents/agent-authorization.ts";
import { agentCallRoutes } from "./agents/agent-calls.ts";
import { agentOauthRoutes } from "./agents/agent-oauth.ts";
import { agentSessionRoutes } from "./agents/agent-sessions.ts";
import { agentRoutes } from "./agents/agent-tools.ts";
import { agentUpstreamRoutes } from "./agents/agent-upstreams.ts";
import { apiDocumentRoutes } from "./agents/api-documents.ts";
import { connectionMcpRoutes } from "./agents/connection-mcp.ts";
import { managementMcpRoutes } from "./agents/management-mcp.ts";
import { toolsetMcpRoutes } from "./agents/toolset-mcp.ts";
import { toolsetRoutes } from "./agents/toolsets.ts";
import { connectRoutes } from "./connect/connect.ts";
import { connectStageRoutes } from "./connect/connect-stages.ts";
import { bulkRoutes } from "./connections/bulk.ts";
import { connectionRoutes } from "./connections/connections.ts";
import { diagnosisRoutes } from "./connections/diagnosis.ts";
import { endUserRoutes } from "./connections/end-users.ts";
import { oldPlatformRoutes } from "./connections/old-platforms.ts";
import { revocationRoutes } from "./connections/revocations.ts";
import { dashboardRoutes } from "./dashboard.ts";
import { auditRoutes } from "./environments/audit.ts";
import { environmentRoutes } from "./environments/environments.ts";
import { actionRoutes } from "./functions/actions.ts";
import { deployedFunctionRoutes } from "./functions/deployed-functions.ts";
import { canaryRoutes } from "./functions/deployments/canaries.ts";
import { endpointRoutes } from "./functions/endpoints.ts";
import { functionBundleRoutes } from "./functions/function-bundles.ts";
import { functionJobRoutes } from "./functions/function-jobs.ts";
import { functionRoutes } from "./functions/functions.ts";
import { mcpRoutes } from "./functions/mcp.ts";
import { stagedDeploymentRoutes } from "./functions/staged-deployments.ts";
import { installationRoutes } from "./installation/installation.ts";
import { installationStatusRoutes } from "./installation/installation-status.ts";
import { customProviderRoutes } from "./integrations/custom-providers.ts";
import { integrationRoutes } from "./integrations/integrations.ts";
import { providerRoutes } from "./integrations/providers.ts";
import { rateLimitRoutes } from "./integrations/rate-limits.ts";
import { simulatorRoutes } from "./integrations/simulator.ts";
import { eventRoutes } from "./logs/events.ts";
import { logRoutes } from "./logs/logs.ts";
import { metricRoutes } from "./logs/metrics.ts";
import { problemRoutes } from "./logs/problems.ts";
import { recordMetricRoutes } from "./logs/record-metrics.ts";
import { tapeRoutes } from "./logs/tapes.ts";
import { accountRoutes } from "./people/accounts.ts";
import { meRoutes } from "./people/me.ts";
import { passkeyRoutes } from "./people/passkeys.ts";
import { secondFactorRoutes } from "./people/second-factor.ts";
import { signInRoutes } from "./people/sign-in.ts";
import { ssoRoutes } from "./people/sso.ts";
import { userRoutes } from "./people/users.ts";
import { proxyRoutes } from "./proxy.ts";
import { proxyRequestRoutes } from "./proxy-requests.ts";
import { recordDestinationRoutes } from "./syncs/record-destinations.ts";
import { recordDriftRoutes } from "./syncs/record-drift.ts";
import { recordFeedRoutes } from "./syncs/record-feed.ts";
import { recordHistoryRoutes } from "./syncs/record-history.ts";
import { recordQuarantineRoutes } from "./syncs/record-quarantine.ts";
import { recordRoutes } from "./syncs/records.ts";
import { sqlAccessRoutes } from "./syncs/sql-access.ts";
import { syncReconciliationRoutes } from "./syncs/sync-reconciliations.ts";
import { syncRoutes } from "./syncs/syncs.ts";
import { inboxRoutes } from "./webhooks/inbox.ts";
import { inboxConnectionRoutes } from "./webhooks/inbox-connections.ts";
import { inboxIntegrationRoutes } from "./webhooks/inbox-integrations.ts";
import { webhookDeliveryRoutes } from "./webhooks/webhook-deliveries.ts";

/** Every route of the API. */
export const routes = {
  ...installationRoutes,
  ...installationStatusRoutes,
  ...dashboardRoutes,
  ...signInRoutes,
  ...passkeyRoutes,
  ...secondFactorRoutes,
  ...meRoutes,
  ...userRoutes,
  ...ssoRoutes,
  ...accountRoutes,
  ...environmentRoutes,
  ...auditRoutes,
  ...integrationRoutes,
  ...simulatorRoutes,
  ...connectionRoutes,
  ...diagnosisRoutes,
  ...bulkRoutes,
  ...oldPlatformRoutes,
  ...revocationRoutes,
  ...endUserRoutes,
  ...connectRoutes,
  ...providerRoutes,
  ...customProviderRoutes,
  ...connectStageRoutes,
  ...proxyRoutes,
  ...proxyRequestRoutes,
  ...functionRoutes,
  ...deployedFunctionRoutes,
  ...functionJobRoutes,
  ...functionBundleRoutes,
  ...tapeRoutes,
  ...stagedDeploymentRoutes,
  ...canaryRoutes,
  ...syncRoutes,
  ...recordRoutes,
  ...rateLimitRoutes,
  ...recordDestinationRoutes,
  ...sqlAccessRoutes,
  ...recordFeedRoutes,
  ...recordHistoryRoutes,
  ...recordQuarantineRoutes,
  ...recordDriftRoutes,
  ...syncReconciliationRoutes,
  ...actionRoutes,
  ...agentRoutes,
  ...toolsetRoutes,
  ...apiDocumentRoutes,
  ...agentSessionRoutes,
  ...agentCallRoutes,
  ...agentApprovalRoutes,
  ...agentUpstreamRoutes,
  ...connectionMcpRoutes,
  ...approvalPageRoutes,
  ...agentSignInRoutes,
  ...agentOauthRoutes,
  ...mcpRoutes,
  ...managementMcpRoutes,
  ...toolsetMcpRoutes,
  ...endpointRoutes,
  ...logRoutes,
  ...metricRoutes,
  ...recordMetricRoutes,
  ...eventRoutes,
  ...problemRoutes,
  ...webhookDeliveryRoutes,
  ...inboxRoutes,
  ...inboxConnectionRoutes,
  ...inboxIntegrationRoutes,
} as const;

export type RouteName = keyof typeof routes;
