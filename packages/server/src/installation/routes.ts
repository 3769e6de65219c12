import { buildOpenApi, type installationRoutes, routes } from "@jackfield/contract";
import { AppError } from "#platform";
import type { RouteHandlers } from "#platform/http";

/** Why the process cannot serve now; undefined when it can. */
export type Readiness = () => Promise<string | undefined>;

export function createInstallationHandlers(options: { readiness: Readiness; version: string }) {
  const description = buildOpenApi(routes, { version: options.version });
  return {
    getHealth: async () => ({ result: "ok" as const }),
    getReadiness: async () => {
      const reason = await options.readiness();
      if (reason !== undefined) throw new AppError("overloaded", `Not ready: ${reason}.`);
      return { result: "ok" as const };
    },
    getOpenApi: async () => description,
  } satisfies RouteHandlers<typeof installationRoutes>;
}
