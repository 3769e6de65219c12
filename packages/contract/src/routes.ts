import { actionRoutes } from "./actions.ts";
import { connectRoutes } from "./connect.ts";
import { connectStageRoutes } from "./connect-stages.ts";
import { connectionRoutes } from "./connections.ts";
import { customProviderRoutes } from "./custom-providers.ts";
import { dashboardRoutes } from "./dashboard.ts";
import { deployedFunctionRoutes } from "./deployed-functions.ts";
import { endpointRoutes } from "./endpoints.ts";
import { environmentRoutes } from "./environments.ts";
import { functionBundleRoutes } from "./function-bundles.ts";
import { functionJobRoutes } from "./function-jobs.ts";
import { functionRoutes } from "./functions.ts";
import { inboxRoutes } from "./inbox.ts";
import { installationRoutes } from "./installation.ts";
import { integrationRoutes } from "./integrations.ts";
import { logRoutes } from "./logs.ts";
import { mcpRoutes } from "./mcp.ts";
import { providerRoutes } from "./providers.ts";
import { proxyRoutes } from "./proxy.ts";
import { recordRoutes } from "./records.ts";
import { stagedDeploymentRoutes } from "./staged-deployments.ts";
import { syncRoutes } from "./syncs.ts";
import { webhookDeliveryRoutes } from "./webhook-deliveries.ts";

/** Every route of the API. */
export const routes = {
  ...installationRoutes,
  ...dashboardRoutes,
  ...environmentRoutes,
  ...integrationRoutes,
  ...connectionRoutes,
  ...connectRoutes,
  ...providerRoutes,
  ...customProviderRoutes,
  ...connectStageRoutes,
  ...proxyRoutes,
  ...functionRoutes,
  ...deployedFunctionRoutes,
  ...functionJobRoutes,
  ...functionBundleRoutes,
  ...stagedDeploymentRoutes,
  ...syncRoutes,
  ...recordRoutes,
  ...actionRoutes,
  ...mcpRoutes,
  ...endpointRoutes,
  ...logRoutes,
  ...webhookDeliveryRoutes,
  ...inboxRoutes,
} as const;

export type RouteName = keyof typeof routes;
