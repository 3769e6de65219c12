import type { oldPlatformRoutes } from "@jackfield/contract";
import { type EnvironmentContext, keysetCursor } from "#foundation";
import type { RouteHandlers } from "#foundation/http";
import { getIntegration } from "#integrations";
import { recordChange } from "#logs";
import { importConnection } from "./moving/import-connection.ts";
import { handBack, handOver, type Moves } from "./moving/move-many.ts";
import type { OldPlatform } from "./old-platform.ts";
import {
  createOldPlatform,
  deleteOldPlatform,
  getOldPlatform,
  updateOldPlatform,
} from "./settings/change-old-platform.ts";
import { presentMoved, presentPlatforms } from "./settings/present-old-platform.ts";
import { listMoved, listPlatformRows } from "./store.ts";

const DEFAULT_LIMIT = 100;
const cursors = keysetCursor({ radix: 36, separator: "." });

export const oldPlatformHandlers = {
  createOldPlatform: async (ctx, { body }) => ({
    data: await presentOne(ctx, await createOldPlatform(ctx, body)),
  }),
  listOldPlatforms: async (ctx) => ({
    data: await presentPlatforms(ctx, await listPlatformRows(ctx.db, ctx.environment.id)),
  }),
  getOldPlatform: async (ctx, { params }) => ({
    data: await presentOne(ctx, await getOldPlatform(ctx, params.oldPlatformId)),
  }),
  updateOldPlatform: async (ctx, { params, body }) => ({
    data: await presentOne(ctx, await updateOldPlatform(ctx, params.oldPlatformId, body)),
  }),
  deleteOldPlatform: async (ctx, { params }) => {
    await deleteOldPlatform(ctx, params.oldPlatformId);
  },
  readThroughConnection: async (ctx, { params, body }) => {
    const platform = await getOldPlatform(ctx, params.oldPlatformId);
    const { provider_config_key: integrationKey, connection_id: connectionId } = body;
    const moved = await importConnection(ctx, platform, { integrationKey, connectionId });
    const message = `Read the connection ${connectionId} through from ${platform.name}`;
    recordChange(ctx, { message, meta: { integration: integrationKey } });
    return { data: presentMoved(moved) };
  },
  listOldPlatformConnections: async (ctx, { params, query }) => {
    const { id: oldPlatformId } = await getOldPlatform(ctx, params.oldPlatformId);
    const { limit = DEFAULT_LIMIT, cursor, state, provider_config_key: key } = query;
    const integration = key === undefined ? undefined : await getIntegration(ctx, key);
    const rows = await listMoved(ctx.db, ctx.environment.id, {
      ...{ oldPlatformId, integrationId: integration?.id, isRefused: query.refused === "true" },
      states: state === undefined ? undefined : [state],
      after: cursor === undefined ? undefined : cursors.read(cursor),
      limit: limit + 1,
    });
    const shown = rows.slice(0, limit);
    const last = rows.length > limit ? shown.at(-1) : undefined;
    return {
      data: shown.map(presentMoved),
      next_cursor:
        last === undefined ? null : cursors.write({ createdAt: last.importedAt, id: last.uuid }),
    };
  },
  handOverConnections: async (ctx, { params, body }) => {
    const platform = await getOldPlatform(ctx, params.oldPlatformId);
    const { old_side: oldSide = "delete", ...choice } = body;
    return presentMoves(await handOver(ctx, platform, { ...choice, oldSide }));
  },
  handBackConnections: async (ctx, { params, body }) => {
    const platform = await getOldPlatform(ctx, params.oldPlatformId);
    return presentMoves(await handBack(ctx, platform, body));
  },
} satisfies RouteHandlers<typeof oldPlatformRoutes>;

async function presentOne(ctx: EnvironmentContext, platform: OldPlatform) {
  const [presented] = await presentPlatforms(ctx, [platform]);
  if (presented === undefined) throw new Error("presentPlatforms presents each");
  return presented;
}

function presentMoves({ results, remaining }: Moves) {
  return {
    data: results.map(({ moved, isDone }) => ({ ...presentMoved(moved), is_done: isDone })),
    remaining,
  };
}
