import { buildOpenApi, type installationRoutes, routes } from "@jackfield/contract";
import { type ApiPage, renderApiPage } from "#gateway";
import { AppError, type Quarantine } from "#platform";
import type { RouteHandlers } from "#platform/http";

/** Why the process cannot serve now; undefined when it can. */
export type Readiness = () => Promise<string | undefined>;

interface Installation {
  readonly readiness: Readiness;
  readonly version: string;
  readonly quarantine: Quarantine;
}

export function createStatusHandlers(options: Installation) {
  const description = buildOpenApi(routes);
  let page: ApiPage | undefined;
  return {
    getHealth: async () => ({ result: "ok" as const }),
    getReadiness: async () => {
      const reason = await options.readiness();
      if (reason !== undefined) throw new AppError("overloaded", `Not ready: ${reason}.`);
      const since = options.quarantine.since?.toISOString();
      return {
        result: "ok" as const,
        ...(since === undefined ? {} : { quarantined_since: since }),
      };
    },
    getOpenApi: async () => description,
    getApiPage: async (_ctx, _input, { reply }) => {
      page ??= renderApiPage(routes, options);
      await reply.headers(page.headers).send(page.html);
    },
  } satisfies RouteHandlers<typeof installationRoutes>;
}
