import type { canaryRoutes } from "@jackfield/contract";
import { type EnvironmentContext, keysetCursor } from "#foundation";
import type { RouteHandlers } from "#foundation/http";
import type { Canary } from "./canary.ts";
import { compareCanary } from "./compare-canary.ts";
import { countCanaryRuns } from "./counts/store.ts";
import { getCanary, promoteCanary, rollBackCanary } from "./end-canary.ts";
import { presentCanary, presentOutline } from "./present-canary.ts";
import { startCanary } from "./start-canary.ts";
import { listCanaryRows } from "./store.ts";

const DEFAULT_LIMIT = 20;
const cursors = keysetCursor({ radix: 36, separator: "." });

export const canaryHandlers = {
  startCanary: async (ctx, { params, body }) => ({
    data: await present(ctx, await startCanary(ctx, params.id, body)),
  }),
  listCanaries: async (ctx, { query }) => {
    const { limit = DEFAULT_LIMIT, cursor } = query;
    const after = cursor === undefined ? undefined : cursors.read(cursor);
    const rows = await listCanaryRows(ctx.db, ctx.environment.id, { after, limit: limit + 1 });
    const shown = rows.slice(0, limit);
    const last = rows.length > limit ? shown.at(-1) : undefined;
    return {
      data: await outline(ctx, shown),
      next_cursor:
        last === undefined ? null : cursors.write({ createdAt: last.startedAt, id: last.id }),
    };
  },
  getCanary: async (ctx, { params }) => ({
    data: await present(ctx, await getCanary(ctx, params.canaryId)),
  }),
  promoteCanary: async (ctx, { params }) => {
    const canary = await getCanary(ctx, params.canaryId);
    await promoteCanary(ctx, canary, { byItself: false, reason: "It was promoted by hand." });
    return { data: await present(ctx, await getCanary(ctx, canary.id)) };
  },
  rollBackCanary: async (ctx, { params }) => {
    const canary = await getCanary(ctx, params.canaryId);
    await rollBackCanary(ctx, canary, { byItself: false, reason: "It was rolled back by hand." });
    return { data: await present(ctx, await getCanary(ctx, canary.id)) };
  },
} satisfies RouteHandlers<typeof canaryRoutes>;

async function present(ctx: EnvironmentContext, canary: Canary) {
  return presentCanary(canary, await compareCanary(ctx, canary));
}

/** Only the one that runs is compared: of the others the end says it. */
async function outline(ctx: EnvironmentContext, canaries: readonly Canary[]) {
  const runs = await countCanaryRuns(
    ctx.db,
    canaries.map(({ id }) => id),
  );
  return await Promise.all(
    canaries.map(async (canary) => {
      if (canary.state === "running") {
        return presentOutline(canary, await compareCanary(ctx, canary));
      }
      const verdict = canary.state === "promoted" ? "good" : "worse";
      return presentOutline(canary, { verdict, runs: runs.get(canary.id) ?? 0 });
    }),
  );
}
