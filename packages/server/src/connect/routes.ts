import { pageFolder } from "@jackfield/connect-ui/assets";
import type { connectRoutes } from "@jackfield/contract";
import { serverState } from "#foundation";
import type { RouteHandlers } from "#foundation/http";
import { authorizationHandlers } from "./authorization-routes.ts";
import { linkHandlers } from "./links/routes.ts";
import { manageHandlers } from "./manage/routes.ts";
import { sendConnectPageAsset, showBuiltPage } from "./page/connect-page.ts";
import { sessionHandlers } from "./session-routes.ts";

/** Folder of the built page. */
export const connectPageFolder = serverState<URL>(() => pageFolder);

export const connectHandlers = {
  ...sessionHandlers,
  ...authorizationHandlers,
  ...linkHandlers,
  ...manageHandlers,
  showConnectPage: async (ctx, _input, exchange) => {
    await showBuiltPage(ctx, { folder: connectPageFolder.of(ctx), page: "connect" }, exchange);
  },
  showConnectLink: async (ctx, _input, exchange) => {
    await showBuiltPage(ctx, { folder: connectPageFolder.of(ctx), page: "link" }, exchange);
  },
  showManagePage: async (ctx, _input, exchange) => {
    await showBuiltPage(ctx, { folder: connectPageFolder.of(ctx), page: "manage" }, exchange);
  },
  getConnectPageAsset: async (ctx, _input, exchange) => {
    const name = String(Object(exchange.request.params)["*"]);
    await sendConnectPageAsset(ctx, { folder: connectPageFolder.of(ctx), name }, exchange);
  },
} satisfies RouteHandlers<typeof connectRoutes>;
