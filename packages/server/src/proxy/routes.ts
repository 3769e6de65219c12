import type { proxyRequestRoutes, proxyRoutes } from "@jackfield/contract";
import type { RouteHandlers } from "#platform/http";
import { proxyRequest } from "./proxy-request.ts";
import { sendProxyRequest } from "./send-proxy-request.ts";

export const proxyHandlers = { proxyRequest } satisfies RouteHandlers<typeof proxyRoutes>;

export const proxyRequestHandlers = {
  sendProxyRequest: async (ctx, { body }) => ({ data: await sendProxyRequest(ctx, body) }),
} satisfies RouteHandlers<typeof proxyRequestRoutes>;
