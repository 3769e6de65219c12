import type { proxyRequestRoutes, proxyRoutes, rateLimitRoutes } from "@jackfield/contract";
import type { RouteHandlers } from "#foundation/http";
import { listRateLimits } from "./limits/list-rate-limits.ts";
import { presentRateLimit } from "./limits/present-rate-limit.ts";
import { proxyRequest } from "./proxy-request.ts";
import { sendProxyRequest } from "./send-proxy-request.ts";

export const proxyHandlers = { proxyRequest } satisfies RouteHandlers<typeof proxyRoutes>;

export const proxyRequestHandlers = {
  sendProxyRequest: async (ctx, { body }) => ({ data: await sendProxyRequest(ctx, body) }),
} satisfies RouteHandlers<typeof proxyRequestRoutes>;

const DEFAULT_LIMIT = 100;

export const rateLimitHandlers = {
  listRateLimits: async (ctx, { query }) => {
    const { provider_config_key: integrationKey, limit = DEFAULT_LIMIT } = query;
    const known = await listRateLimits(ctx, { integrationKey, limit });
    return { data: known.map(presentRateLimit) };
  },
} satisfies RouteHandlers<typeof rateLimitRoutes>;
