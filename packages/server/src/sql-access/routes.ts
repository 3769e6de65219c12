import type { sqlAccessRoutes } from "@jackfield/contract";
import type { RouteHandlers } from "#foundation/http";
import { endSqlAccess } from "./end-access.ts";
import { createSqlAccess, rotateSqlAccess } from "./open-access.ts";
import { presentNewAccess, presentSqlAccess } from "./present-sql-access.ts";
import { requireOffered } from "./require-offered.ts";

export const sqlAccessHandlers = {
  createSqlAccess: async (ctx) => ({
    data: await presentNewAccess(ctx, await createSqlAccess(ctx)),
  }),
  getSqlAccess: async (ctx) => {
    requireOffered(ctx);
    return { data: await presentSqlAccess(ctx) };
  },
  rotateSqlAccess: async (ctx) => ({
    data: await presentNewAccess(ctx, await rotateSqlAccess(ctx)),
  }),
  deleteSqlAccess: async (ctx) => {
    await endSqlAccess(ctx);
  },
} satisfies RouteHandlers<typeof sqlAccessRoutes>;
