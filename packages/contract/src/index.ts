export { actionRoutes } from "./actions.ts";
export { connectRoutes } from "./connect.ts";
export { connection, connectionRoutes, importedCredentials } from "./connections.ts";
export { environmentRoutes, type WebhookSettings, webhookSettings } from "./environments.ts";
export { type ErrorCode, errorMessage, errorStatus, errorTable, isErrorCode } from "./errors.ts";
export { type Frequency, MIN_FREQUENCY_MS, parseFrequency } from "./frequency.ts";
export {
  type Deployment,
  type DeploymentPlan,
  deployment,
  type FlowConfig,
  functionRoutes,
} from "./functions.ts";
export { installationRoutes } from "./installation.ts";
export { integrationRoutes } from "./integrations.ts";
export { buildOpenApi } from "./openapi.ts";
export { proxyRoutes } from "./proxy.ts";
export { recordRoutes } from "./records.ts";
export {
  defineRoute,
  type Method,
  type Principal,
  type RouteDefinition,
  type RouteInput,
  type RouteOutput,
} from "./route.ts";
export { type RouteName, routes } from "./routes.ts";
export { hasScope, isGrantableScope, type Scope, scopeCovers, scopes } from "./scopes.ts";
export { syncRoutes } from "./syncs.ts";
