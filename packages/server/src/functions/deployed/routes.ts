import type { deployedFunctionRoutes } from "@jackfield/contract";
import type { RouteHandlers } from "#foundation/http";
import { presentEgress } from "../egress/present-egress.ts";
import { functionHistoryHandlers } from "../history/routes.ts";
import { loadBundle } from "../run/load-bundle.ts";
import { deleteFunction } from "./delete-function.ts";
import { enableFunction } from "./enable-function.ts";
import { presentFunction } from "./present-function.ts";
import { presentScripts } from "./present-scripts.ts";
import { listFunctionsOf, requireFunction } from "./require-function.ts";

const DEFAULT_LIMIT = 20;
const DEFAULT_DAYS = 7;

export const deployedFunctionHandlers = {
  ...functionHistoryHandlers,
  listFunctions: async (ctx, { params, query }) => {
    const { functions } = await listFunctionsOf(ctx, params.uniqueKey);
    const { type, search = "", page = 0, limit = DEFAULT_LIMIT } = query;
    const wanted = search.toLowerCase();
    const matches = functions.filter(
      (fn) => (type === undefined || fn.type === type) && fn.name.toLowerCase().includes(wanted),
    );
    const shown = matches
      .toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
      .slice(page * limit, (page + 1) * limit);
    return {
      data: shown.map(presentFunction),
      pagination: { total: matches.length, page, limit },
    };
  },
  getFunction: async (ctx, { params, query }) => {
    const { fn } = await requireFunction(ctx, {
      integrationKey: params.uniqueKey,
      name: params.name,
      type: query.type,
    });
    return { data: presentFunction(fn) };
  },
  getFunctionCode: async (ctx, { params, query }) => {
    const { fn } = await requireFunction(ctx, {
      integrationKey: params.uniqueKey,
      name: params.name,
      type: query.type,
    });
    const { source } = await loadBundle(ctx, fn);
    return { type: fn.type, code: source };
  },
  getFunctionEgress: async (ctx, { params, query }) => ({
    data: await presentEgress(ctx, {
      integrationKey: params.uniqueKey,
      name: params.name,
      type: query.type,
      days: query.days ?? DEFAULT_DAYS,
      connectionId: query.connection_id,
    }),
  }),
  updateFunction: async (ctx, { params, query, body }) => {
    const fn = await enableFunction(ctx, {
      integrationKey: params.uniqueKey,
      name: params.name,
      type: query.type,
      enabled: body.enabled,
    });
    return { data: presentFunction(fn) };
  },
  deleteFunction: async (ctx, { params, query }) => {
    const { uniqueKey: integrationKey, name } = params;
    await deleteFunction(ctx, { integrationKey, name, type: query.type });
    return { data: { success: true } };
  },
  getScriptsConfig: async (ctx, { query }) =>
    await presentScripts(ctx, {
      format: query.format,
      api: query.api,
      include: query.include,
      integrationKey: query.provider_config_key,
      limit: query.limit,
      page: query.page ?? 0,
    }),
} satisfies RouteHandlers<typeof deployedFunctionRoutes>;
