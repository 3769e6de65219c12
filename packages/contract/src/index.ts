export { agentApprovalRoutes, approvalPageRoutes } from "./agents/agent-approvals.ts";
export { agentSignInRoutes } from "./agents/agent-authorization.ts";
export { agentCallRoutes } from "./agents/agent-calls.ts";
export { agentOauthRoutes } from "./agents/agent-oauth.ts";
export { agentSessionRoutes } from "./agents/agent-sessions.ts";
export { agentRoutes } from "./agents/agent-tools.ts";
export { agentUpstreamRoutes } from "./agents/agent-upstreams.ts";
export { apiDocumentRoutes } from "./agents/api-documents.ts";
export { connectionMcpRoutes } from "./agents/connection-mcp.ts";
export { managementMcpRoutes } from "./agents/management-mcp.ts";
export { toolsetMcpRoutes } from "./agents/toolset-mcp.ts";
export { toolsetRoutes } from "./agents/toolsets.ts";
export { apiSections, sectionOf } from "./api-sections.ts";
export {
  ACTION_ENVELOPE_BYTES,
  type BodyKind,
  type BodyLimit,
  bodyLimits,
} from "./body-limits.ts";
export { connectQuery } from "./connect/authorization.ts";
export { connectRoutes } from "./connect/connect.ts";
export { connectFunnelRoutes } from "./connect/connect-funnel.ts";
export { connectLinkRoutes, MOST_RECONNECT_LINKS } from "./connect/connect-links.ts";
export { type ConnectStage, connectStageRoutes } from "./connect/connect-stages.ts";
export type { EndUser } from "./connect/end-user.ts";
export { manageRoutes } from "./connect/manage.ts";
export { type BulkAction, bulkRoutes, bulkScopes } from "./connections/bulk.ts";
export { type ConnectionState, connection, connectionStates } from "./connections/connection.ts";
export { connectionRoutes } from "./connections/connections.ts";
export { diagnosisRoutes } from "./connections/diagnosis.ts";
export { endUserRoutes } from "./connections/end-users.ts";
export type { FlatImport } from "./connections/flat-import.ts";
export { importedCredentials } from "./connections/imported-credentials.ts";
export { oldPlatformRoutes } from "./connections/old-platforms.ts";
export { revocationRoutes } from "./connections/revocations.ts";
export { dashboardRoutes } from "./dashboard.ts";
export type {
  DevCall,
  DevChoice,
  DevCount,
  DevFault,
  DevFrame,
  DevFunction,
  DevLogLine,
  DevRun,
  DevRunSummary,
  DevSave,
  DevState,
} from "./dev/dev-page.ts";
export { apiKeyRoutes } from "./environments/api-keys.ts";
export { auditRoutes } from "./environments/audit.ts";
export {
  defaultEnvironmentSettings,
  type EnvironmentSettings,
  type EnvironmentSettingsChange,
  environmentSettings,
} from "./environments/environment-settings.ts";
export { environmentRoutes } from "./environments/environments.ts";
export type { WebhookSettings } from "./environments/webhook-settings.ts";
export { type ErrorCode, errorMessage, errorStatus, errorTable, isErrorCode } from "./errors.ts";
export { actionErrors } from "./functions/action-errors.ts";
export { actionRoutes } from "./functions/actions.ts";
export { deployedFunctionRoutes } from "./functions/deployed-functions.ts";
export type { DeploymentPlan, PlannedImpact } from "./functions/deployment-plan.ts";
export {
  type CanaryLimits,
  type CanarySettings,
  type CanarySide,
  canaryRoutes,
  type PresentedCanary,
} from "./functions/deployments/canaries.ts";
export {
  ANY_HOST,
  coversHost,
  egressHosts,
  findWildcardBase,
  INTEGRATION_HOSTS,
  isEgressAddress,
  normalizeEgress,
  parseEgressHost,
  toEgressHost,
} from "./functions/egress/egress-hosts.ts";

export { endpointRoutes } from "./functions/endpoints.ts";
export {
  type BundleChanges,
  type FunctionBundle,
  functionBundleRoutes,
} from "./functions/function-bundles.ts";
export { functionJobRoutes } from "./functions/function-jobs.ts";
export {
  type AgentHints,
  agentHints,
  type Deployment,
  deployment,
  type FlowConfig,
  functionRoutes,
  RESOURCE_URI,
} from "./functions/functions.ts";
export { mcpRoutes } from "./functions/mcp.ts";
export {
  type StagedFunctionsPart,
  stagedDeploymentRoutes,
} from "./functions/staged-deployments.ts";
export { installationRoutes } from "./installation/installation.ts";
export { installationStatusRoutes } from "./installation/installation-status.ts";
export { customProviderRoutes } from "./integrations/custom-providers.ts";
export { integrationCredentials } from "./integrations/integration-credentials.ts";
export type {
  integrationSettings,
  integrationSettingsChange,
} from "./integrations/integration-settings.ts";
export { integrationRoutes } from "./integrations/integrations.ts";
export { providerRoutes } from "./integrations/providers.ts";
export { rateLimitRoutes } from "./integrations/rate-limits.ts";
export { simulatorFaults, simulatorRoutes } from "./integrations/simulator.ts";
export { eventRoutes } from "./logs/events.ts";
export { logRoutes } from "./logs/logs.ts";
export { metricRoutes } from "./logs/metrics.ts";
export { problemRoutes } from "./logs/problems.ts";
export { recordMetricRoutes } from "./logs/record-metrics.ts";
export {
  TAPE_HIDDEN,
  type TapeBody,
  type TapeCall,
  type TapeFile,
  type TapeOutcome,
  tapeFile,
  tapeLimits,
} from "./logs/tape-file.ts";
export { tapeRoutes } from "./logs/tapes.ts";
export { buildOpenApi } from "./openapi/build-openapi.ts";
export { findUndescribed } from "./openapi/find-undescribed.ts";
export { dereference, resolveReference } from "./openapi/resolve-reference.ts";
export { accountRoutes } from "./people/accounts.ts";
export { meRoutes } from "./people/me.ts";
export { passkeyRoutes } from "./people/passkeys.ts";
export {
  type GrantedRole,
  type Role,
  roles,
  scopesInAccount,
  scopesInEnvironment,
} from "./people/roles.ts";
export { secondFactorRoutes } from "./people/second-factor.ts";
export { signInRoutes } from "./people/sign-in.ts";
export { ssoRoutes } from "./people/sso.ts";
export { userRoutes } from "./people/users.ts";
export { proxyRoutes } from "./proxy.ts";
export { proxyRequestRoutes } from "./proxy-requests.ts";
export {
  bodyKindOf,
  type Deprecation,
  defineRoute,
  type Method,
  type Principal,
  pathsOf,
  type RouteDefinition,
  type RouteInput,
  type RouteOutput,
  statusOnRoute,
} from "./route.ts";
export { type RouteName, routes } from "./routes.ts";
export {
  hasScope,
  isGrantableScope,
  isGrantCovered,
  type Scope,
  scopeCovers,
  scopes,
} from "./scopes.ts";
export { type Frequency, MIN_FREQUENCY_MS, parseFrequency } from "./syncs/frequency.ts";
export { recordDestinationRoutes } from "./syncs/record-destinations.ts";
export { recordDriftRoutes } from "./syncs/record-drift.ts";
export { recordFeedRoutes } from "./syncs/record-feed.ts";
export { recordHistoryRoutes } from "./syncs/record-history.ts";
export { recordQuarantineRoutes } from "./syncs/record-quarantine.ts";
export { recordRoutes } from "./syncs/records.ts";
export { sqlAccessRoutes } from "./syncs/sql-access.ts";
export { syncReconciliationRoutes } from "./syncs/sync-reconciliations.ts";
export { syncRoutes } from "./syncs/syncs.ts";
export { resolveSynonyms, type Synonyms } from "./synonyms.ts";
export { inboxRoutes } from "./webhooks/inbox.ts";
export { inboxConnectionRoutes } from "./webhooks/inbox-connections.ts";
export { inboxIntegrationRoutes } from "./webhooks/inbox-integrations.ts";
export { webhookDeliveryRoutes } from "./webhooks/webhook-deliveries.ts";
