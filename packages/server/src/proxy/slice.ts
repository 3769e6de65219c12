import { proxyRequestRoutes, proxyRoutes } from "@jackfield/contract";
import { serveRoutes } from "#platform/http";
import { defineSlice } from "#slice";
import { proxyHandlers, proxyRequestHandlers } from "./routes.ts";
import { proxyRuntime } from "./runtime.ts";

export const proxy = defineSlice({
  routes: [
    ...serveRoutes(proxyRoutes, proxyHandlers),
    ...serveRoutes(proxyRequestRoutes, proxyRequestHandlers),
  ],
  runtime: proxyRuntime,
});
