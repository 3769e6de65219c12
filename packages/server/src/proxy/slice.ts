import { proxyRoutes } from "@jackfield/contract";
import { serveRoutes } from "#platform/http";
import { defineSlice } from "#slice";
import { proxyHandlers } from "./routes.ts";
import { proxyRuntime } from "./runtime.ts";

export const proxy = defineSlice({
  routes: serveRoutes(proxyRoutes, proxyHandlers),
  runtime: proxyRuntime,
});
