import { defineRoute } from "./route.ts";

/** The dashboard as a page; it calls the same routes as every other client. */
export const dashboardRoutes = {
  getDashboard: defineRoute({
    method: "GET",
    path: "/dashboard/{path+}",
    summary: "The dashboard for operators and developers, and its files",
    principals: ["public"],
    scope: "public",
    success: { status: 200 },
    errors: ["not_found"],
    idempotent: false,
    raw: true,
    sessions: "refused",
  }),
} as const;
