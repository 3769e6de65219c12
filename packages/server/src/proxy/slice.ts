import { proxyRequestRoutes, proxyRoutes, rateLimitRoutes } from "@jackfield/contract";
import { serveRoutes } from "#foundation/http";
import { defineSlice } from "#slice";
import { proxyHandlers, proxyRequestHandlers, rateLimitHandlers } from "./routes.ts";
import { proxyRuntime } from "./runtime.ts";

export const proxy = defineSlice({
  routes: [
    ...serveRoutes(proxyRoutes, proxyHandlers),
    ...serveRoutes(proxyRequestRoutes, proxyRequestHandlers),
    ...serveRoutes(rateLimitRoutes, rateLimitHandlers),
  ],
  runtime: proxyRuntime,
});
