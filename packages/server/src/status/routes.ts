import { buildOpenApi, type installationRoutes, routes } from "@jackfield/contract";
import { siteFolder } from "@jackfield/docs-site/assets";
import { AppError, serverState, version } from "#foundation";
import type { RouteHandlers } from "#foundation/http";
import { type ApiPage, renderApiPage } from "#gateway";
import { sendDocsFile } from "./send-docs-file.ts";
import { renderStartPage, startPageHeaders } from "./start-page.ts";

/** Why the process cannot serve now; undefined when it can. */
export type Readiness = () => Promise<string | undefined>;

/** Set by the app, which alone knows. */
export const readiness = serverState<Readiness>(() => async () => undefined);

/** What is away while the process serves. */
export interface Degraded {
  readonly parts: readonly ("logs" | "replicas" | "workers")[];
  /** How many of a Citus cluster cannot be reached. Anyone may ask, so they are named in the log alone. */
  readonly workers: number;
}

export type Degradation = () => Promise<Degraded>;

/** Set by the app. */
export const degradation = serverState<Degradation>(() => async () => ({ parts: [], workers: 0 }));

// Process-wide: made of the contract.
let description: ReturnType<typeof buildOpenApi> | undefined;
// Process-wide: made of the contract.
let page: ApiPage | undefined;

export const statusHandlers = {
  getStartPage: async (ctx, _input, { reply }) => {
    const { policy, html } = renderStartPage({
      version,
      serverUrl: ctx.settings.serverUrl,
      hasDashboard: ctx.settings.dashboard,
      notReady: await readiness.of(ctx)(),
      quarantinedSince: ctx.settings.quarantine.since,
    });
    await reply.headers({ ...startPageHeaders, "content-security-policy": policy }).send(html);
  },
  getHealth: async () => ({ result: "ok" as const, version }),
  getReadiness: async (ctx) => {
    const reason = await readiness.of(ctx)();
    if (reason !== undefined) throw new AppError("overloaded", `Not ready: ${reason}.`);
    const since = ctx.settings.quarantine.since?.toISOString();
    const { parts, workers } = await degradation.of(ctx)();
    return {
      result: "ok" as const,
      ...(parts.length === 0 ? {} : { degraded: [...parts] }),
      ...(workers === 0 ? {} : { unreachable_workers: workers }),
      ...(since === undefined ? {} : { quarantined_since: since }),
    };
  },
  getOpenApi: async () => {
    description ??= buildOpenApi(routes);
    return description;
  },
  getDocs: async ({ settings }, _input, exchange) => {
    await sendDocsFile(siteFolder, settings.serverUrl, exchange);
  },
  getApiPage: async (_ctx, _input, { reply }) => {
    page ??= renderApiPage(routes, { version });
    await reply.headers(page.headers).send(page.html);
  },
} satisfies RouteHandlers<typeof installationRoutes>;
