import { buildOpenApi, type installationRoutes, routes } from "@jackfield/contract";
import { type ApiPage, renderApiPage } from "#gateway";
import { AppError, serverState, version } from "#platform";
import type { RouteHandlers } from "#platform/http";

/** Why the process cannot serve now; undefined when it can. */
export type Readiness = () => Promise<string | undefined>;

/** Set by the app, which alone knows. */
export const readiness = serverState<Readiness>(() => async () => undefined);

// Process-wide: made of the contract.
let description: ReturnType<typeof buildOpenApi> | undefined;
// Process-wide: made of the contract.
let page: ApiPage | undefined;

export const installationHandlers = {
  getHealth: async () => ({ result: "ok" as const }),
  getReadiness: async (ctx) => {
    const reason = await readiness.of(ctx)();
    if (reason !== undefined) throw new AppError("overloaded", `Not ready: ${reason}.`);
    const since = ctx.settings.quarantine.since?.toISOString();
    return {
      result: "ok" as const,
      ...(since === undefined ? {} : { quarantined_since: since }),
    };
  },
  getOpenApi: async () => {
    description ??= buildOpenApi(routes);
    return description;
  },
  getApiPage: async (_ctx, _input, { reply }) => {
    page ??= renderApiPage(routes, { version });
    await reply.headers(page.headers).send(page.html);
  },
} satisfies RouteHandlers<typeof installationRoutes>;
