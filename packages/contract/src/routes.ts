import { actionRoutes } from "./actions.ts";
import { connectRoutes } from "./connect.ts";
import { connectionRoutes } from "./connections.ts";
import { environmentRoutes } from "./environments.ts";
import { functionRoutes } from "./functions.ts";
import { installationRoutes } from "./installation.ts";
import { integrationRoutes } from "./integrations.ts";
import { providerRoutes } from "./providers.ts";
import { proxyRoutes } from "./proxy.ts";
import { recordRoutes } from "./records.ts";
import { syncRoutes } from "./syncs.ts";

/** Every route of the API. */
export const routes = {
  ...installationRoutes,
  ...environmentRoutes,
  ...integrationRoutes,
  ...connectionRoutes,
  ...connectRoutes,
  ...providerRoutes,
  ...proxyRoutes,
  ...functionRoutes,
  ...syncRoutes,
  ...recordRoutes,
  ...actionRoutes,
} as const;

export type RouteName = keyof typeof routes;
