import { pageFolder as builtPage } from "@jackfield/connect-ui/assets";
import type { connectRoutes } from "@jackfield/contract";
import type { RouteHandlers } from "#platform/http";
import { authorizationHandlers } from "./authorization-routes.ts";
import { sendConnectPageAsset, showConnectPage } from "./page/connect-page.ts";
import { createSessionHandlers } from "./session-routes.ts";

export interface ConnectOptions {
  /** Aborted when the server stops: streams of events end, clients come again. */
  readonly stopping: AbortSignal;
  /** Folder of the built page. */
  readonly pageFolder?: URL;
}

export function createConnectHandlers({ stopping, pageFolder = builtPage }: ConnectOptions) {
  return {
    ...createSessionHandlers(stopping),
    ...authorizationHandlers,
    showConnectPage: async (ctx, _input, exchange) => {
      await showConnectPage(ctx, pageFolder, exchange);
    },
    getConnectPageAsset: async (_ctx, _input, exchange) => {
      const path = String(Object(exchange.request.params)["*"]);
      await sendConnectPageAsset(pageFolder, path, exchange);
    },
  } satisfies RouteHandlers<typeof connectRoutes>;
}
