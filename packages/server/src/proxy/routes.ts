import type { proxyRoutes } from "@jackfield/contract";
import type { RouteHandlers } from "#platform/http";
import { proxyRequest } from "./proxy-request.ts";

export const proxyHandlers = { proxyRequest } satisfies RouteHandlers<typeof proxyRoutes>;
