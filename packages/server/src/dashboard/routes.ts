import type { dashboardRoutes } from "@jackfield/contract";
import { pageFolder } from "@jackfield/dashboard/assets";
import { AppError, serverState } from "#platform";
import type { RouteHandlers } from "#platform/http";
import { sendAsset } from "./send-asset.ts";
import { sendPage } from "./send-page.ts";

/** Folder of the built page. */
export const dashboardFolder = serverState<URL>(() => pageFolder);

export const dashboardHandlers = {
  getDashboard: async (ctx, _input, exchange) => {
    if (!ctx.settings.dashboard) {
      throw new AppError("not_found", "The dashboard is off (`SVC_DASHBOARD`).");
    }
    const folder = dashboardFolder.of(ctx);
    const path = (exchange.request.url.split("?", 1)[0] ?? "").replace(/^\/dashboard\/?/i, "");
    if (path.startsWith("assets/")) return await sendAsset(folder, path, exchange);
    return await sendPage(ctx.settings.dashboardUrl, folder, exchange);
  },
} satisfies RouteHandlers<typeof dashboardRoutes>;
