export { actionErrors } from "./action-errors.ts";
export { actionRoutes } from "./actions.ts";
export { apiSections, sectionOf } from "./api-sections.ts";
export { connectQuery } from "./authorization.ts";
export {
  ACTION_ENVELOPE_BYTES,
  type BodyKind,
  type BodyLimit,
  bodyLimits,
} from "./body-limits.ts";
export { connectRoutes } from "./connect.ts";
export { type ConnectStage, connectStageRoutes } from "./connect-stages.ts";
export { connection } from "./connection.ts";
export { connectionRoutes } from "./connections.ts";
export { customProviderRoutes } from "./custom-providers.ts";
export { dashboardRoutes } from "./dashboard.ts";
export { deployedFunctionRoutes } from "./deployed-functions.ts";
export type { EndUser } from "./end-user.ts";
export { endpointRoutes } from "./endpoints.ts";
export {
  defaultEnvironmentSettings,
  type EnvironmentSettings,
  type EnvironmentSettingsChange,
  environmentSettings,
} from "./environment-settings.ts";
export { environmentRoutes, type WebhookSettings } from "./environments.ts";
export { type ErrorCode, errorMessage, errorStatus, errorTable, isErrorCode } from "./errors.ts";
export type { FlatImport } from "./flat-import.ts";
export { type Frequency, MIN_FREQUENCY_MS, parseFrequency } from "./frequency.ts";
export {
  type BundleChanges,
  type FunctionBundle,
  functionBundleRoutes,
} from "./function-bundles.ts";
export { functionJobRoutes } from "./function-jobs.ts";
export {
  type Deployment,
  type DeploymentPlan,
  deployment,
  type FlowConfig,
  functionRoutes,
} from "./functions.ts";
export { importedCredentials } from "./imported-credentials.ts";
export { inboxRoutes } from "./inbox.ts";
export { installationRoutes } from "./installation.ts";
export { integrationCredentials } from "./integration-credentials.ts";
export type { integrationSettings } from "./integration-settings.ts";
export { integrationRoutes } from "./integrations.ts";
export { logRoutes } from "./logs.ts";
export { mcpRoutes } from "./mcp.ts";
export { buildOpenApi } from "./openapi/build-openapi.ts";
export { findUndescribed } from "./openapi/find-undescribed.ts";
export { dereference, resolveReference } from "./openapi/resolve-reference.ts";
export { providerRoutes } from "./providers.ts";
export { proxyRoutes } from "./proxy.ts";
export { recordRoutes } from "./records.ts";
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
export { type StagedFunctionsPart, stagedDeploymentRoutes } from "./staged-deployments.ts";
export { syncRoutes } from "./syncs.ts";
export { resolveSynonyms, type Synonyms } from "./synonyms.ts";
export { webhookDeliveryRoutes } from "./webhook-deliveries.ts";
