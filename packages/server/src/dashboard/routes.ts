import type { dashboardRoutes } from "@jackfield/contract";
import { AppError } from "#foundation";
import type { RouteHandlers } from "#foundation/http";
import { dashboardFolder } from "./asset-files.ts";
import { sendAsset } from "./send-asset.ts";
import { sendPage } from "./send-page.ts";

export const dashboardHandlers = {
  getDashboard: async (ctx, _input, exchange) => {
    if (!ctx.settings.dashboard) {
      throw new AppError("not_found", "The dashboard is off (`SVC_DASHBOARD`).");
    }
    const path = (exchange.request.url.split("?", 1)[0] ?? "").replace(/^\/dashboard\/?/i, "");
    const [, asset] = /^assets\/(.*)$/.exec(path) ?? [];
    if (asset !== undefined) return await sendAsset(ctx, asset, exchange);
    return await sendPage(ctx.settings.dashboardUrl, dashboardFolder.of(ctx), exchange);
  },
} satisfies RouteHandlers<typeof dashboardRoutes>;
