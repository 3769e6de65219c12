import { buildOpenApi, type installationRoutes, routes } from "@jackfield/contract";
import { siteFolder } from "@jackfield/docs-site/assets";
import { type ApiPage, renderApiPage } from "#gateway";
import { AppError, type Quarantine } from "#platform";
import type { RouteHandlers } from "#platform/http";
import { sendDocsFile } from "./send-docs-file.ts";
import { renderStartPage, startPageHeaders } from "./start-page.ts";

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
    getStartPage: async ({ settings }, _input, { reply }) => {
      const { policy, html } = renderStartPage({
        version: options.version,
        serverUrl: settings.serverUrl,
        notReady: await options.readiness(),
        quarantinedSince: options.quarantine.since,
      });
      await reply.headers({ ...startPageHeaders, "content-security-policy": policy }).send(html);
    },
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
    getDocs: async ({ settings }, _input, exchange) => {
      await sendDocsFile(siteFolder, settings.serverUrl, exchange);
    },
    getApiPage: async (_ctx, _input, { reply }) => {
      page ??= renderApiPage(routes, options);
      await reply.headers(page.headers).send(page.html);
    },
  } satisfies RouteHandlers<typeof installationRoutes>;
}
