import { buildOpenApi, type installationRoutes, routes } from "@jackfield/contract";
import { type ApiPage, renderApiPage } from "#gateway";
import { AppError } from "#platform";
import type { RouteHandlers } from "#platform/http";

/** Why the process cannot serve now; undefined when it can. */
export type Readiness = () => Promise<string | undefined>;

export function createInstallationHandlers(options: { readiness: Readiness; version: string }) {
  const description = buildOpenApi(routes, { version: options.version });
  let page: ApiPage | undefined;
  return {
    getHealth: async () => ({ result: "ok" as const }),
    getReadiness: async () => {
      const reason = await options.readiness();
      if (reason !== undefined) throw new AppError("overloaded", `Not ready: ${reason}.`);
      return { result: "ok" as const };
    },
    getOpenApi: async () => description,
    getApiPage: async (_ctx, _input, { reply }) => {
      page ??= renderApiPage(routes, options);
      await reply.headers(page.headers).send(page.html);
    },
  } satisfies RouteHandlers<typeof installationRoutes>;
}
