import type { RouteOutput, toolsetRoutes } from "@jackfield/contract";
import { AppError, keysetCursor, type SystemContext } from "#foundation";
import type { RouteHandlers } from "#foundation/http";
import { resourceOf } from "../oauth/resource.ts";
import { declareTools } from "./declare-tools.ts";
import type { InputCondition } from "./input-conditions.ts";
import { previewToolset } from "./preview-toolset.ts";
import { deleteToolset, putToolset } from "./put-toolset.ts";
import { findToolset, listToolsetRows, listVersionRows } from "./store.ts";
import type { ApiRule, ApiSelection, PolicyRule, Toolset, ToolsetPolicy } from "./toolset.ts";

const DEFAULT_LIMIT = 50;
const cursors = keysetCursor({ radix: 36, separator: "." });
const versionCursors = keysetCursor({ radix: 36, separator: ".", ids: "number" });

export const toolsetHandlers = {
  listToolsets: async (ctx, { query }) => {
    const { limit = DEFAULT_LIMIT, cursor, search, integration } = query;
    const after = cursor === undefined ? undefined : cursors.read(cursor);
    const page = { search, integration, after, limit: limit + 1 };
    const rows = await listToolsetRows(ctx.db, ctx.environment.id, page);
    const shown = rows.slice(0, limit);
    const last = rows.length > limit ? shown.at(-1) : undefined;
    return {
      data: shown.map((toolset) => presentToolset(ctx, toolset)),
      next_cursor:
        last === undefined ? null : cursors.write({ createdAt: last.madeAt, id: last.id }),
    };
  },
  getToolset: async (ctx, { params, query }) => {
    const found = await findToolset(ctx.db, ctx.environment.id, { ...params, ...query });
    if (found === undefined) return failMissing(params.name);
    return { data: presentToolset(ctx, found) };
  },
  listToolsetVersions: async (ctx, { params: { name }, query }) => {
    const { limit = DEFAULT_LIMIT, cursor } = query;
    const below = cursor === undefined ? undefined : Number(versionCursors.read(cursor).id);
    const page = { name, below, limit: limit + 1 };
    const rows = await listVersionRows(ctx.db, ctx.environment.id, page);
    if (rows.length === 0 && below === undefined) return failMissing(name);
    const shown = rows.slice(0, limit);
    const last = rows.length > limit ? shown.at(-1) : undefined;
    return {
      data: shown.map((toolset) => presentToolset(ctx, toolset)),
      next_cursor:
        last === undefined
          ? null
          : versionCursors.write({ createdAt: last.createdAt, id: String(last.version) }),
    };
  },
  listToolsetDeclarations: async (ctx, { params: { name }, query }) => {
    const found = await findToolset(ctx.db, ctx.environment.id, { name });
    if (found === undefined) return failMissing(name);
    const { limit = DEFAULT_LIMIT, cursor } = query;
    return await declareTools(ctx, { settings: found.settings, cursor, limit });
  },
  previewToolset: async (ctx, { body: { requests = [], ...settings } }) => ({
    data: await previewToolset(ctx, { settings, requests }),
  }),
  putToolset: async (ctx, { params, body }) => ({
    data: presentToolset(ctx, await putToolset(ctx, { name: params.name, settings: body })),
  }),
  deleteToolset: async (ctx, { params }) => {
    await deleteToolset(ctx, params.name);
    return undefined;
  },
} satisfies RouteHandlers<typeof toolsetRoutes>;

function failMissing(name: string): never {
  throw new AppError("not_found", `No toolset "${name}"; list them with GET /agent/toolsets.`);
}

function presentToolset(
  ctx: Pick<SystemContext, "settings">,
  { id, name, version, settings, createdAt }: Toolset,
): RouteOutput<typeof toolsetRoutes.getToolset>["data"] {
  const { description, mode, pinned, tools, api, effects, policy, budget, authorization } =
    settings;
  return {
    ...{ id, name, version, description, mode },
    ...(pinned === undefined ? {} : { pinned: [...pinned] }),
    tools: tools.map(({ integration, actions }) => ({
      integration,
      ...(actions === undefined ? {} : { actions: [...actions] }),
    })),
    ...(api === undefined ? {} : { api: api.map(presentApi) }),
    ...(effects === undefined ? {} : { effects: [...effects] }),
    ...(policy === undefined ? {} : { policy: presentPolicy(policy) }),
    ...(budget === undefined ? {} : { budget }),
    ...(authorization === undefined ? {} : { authorization }),
    mcp_url: authorization === undefined ? null : resourceOf(ctx.settings, id),
    session_mcp_url: `${ctx.settings.serverUrl}/mcp/${name}`,
    created_at: createdAt.toISOString(),
  };
}

function presentApi({ integration, allow, deny }: ApiSelection) {
  const present = ({ methods, paths }: ApiRule) => ({ methods: [...methods], paths: [...paths] });
  return {
    ...{ integration, allow: allow.map(present) },
    ...(deny === undefined ? {} : { deny: deny.map(present) }),
  };
}

function presentPolicy({ preset, approver, rules, url }: ToolsetPolicy) {
  return {
    preset,
    ...(approver === undefined ? {} : { approver }),
    ...(rules === undefined ? {} : { rules: rules.map(presentRule) }),
    ...(url === undefined ? {} : { url }),
  };
}

function presentRule({ input, ...rule }: PolicyRule) {
  return { ...rule, ...(input === undefined ? {} : { input: input.map(presentCondition) }) };
}

function presentCondition(condition: InputCondition) {
  if (condition.op === "in") return { ...condition, value: [...condition.value] };
  if (condition.op === "domain_in") return { ...condition, value: [...condition.value] };
  return condition;
}
