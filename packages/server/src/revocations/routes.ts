import type { revocationRoutes } from "@jackfield/contract";
import { AppError, type EnvironmentContext, type EnvironmentId, keysetCursor } from "#foundation";
import type { RouteHandlers } from "#foundation/http";
import { listItems } from "./items/store.ts";
import { presentItem, presentRevocation } from "./present-revocation.ts";
import { releaseRevocation } from "./release-revocation.ts";
import { listReportKeys, rotateReportKey } from "./reports/rotate-report-key.ts";
import type { Revocation } from "./revocation.ts";
import { startRevocation } from "./start-revocation.ts";
import { countItems, findRevocation, listRevocationRows } from "./store.ts";

const DEFAULT_LIMIT = 50;
const DEFAULT_ITEMS = 100;
const cursors = keysetCursor({ radix: 36, separator: "." });

export const revocationHandlers = {
  startRevocation: async (ctx, { body }) => ({
    data: await present(ctx, await startRevocation(ctx, body)),
  }),
  listRevocations: async (ctx, { query }) => {
    const { limit = DEFAULT_LIMIT, cursor } = query;
    const after = cursor === undefined ? undefined : cursors.read(cursor);
    const rows = await listRevocationRows(ctx.db, ctx.environment.id, { after, limit: limit + 1 });
    const shown = rows.slice(0, limit);
    const last = rows.length > limit ? shown.at(-1) : undefined;
    return {
      data: await presentAll(ctx, shown),
      next_cursor: last === undefined ? null : cursors.write(last),
    };
  },
  getRevocation: async (ctx, { params }) => ({
    data: await present(ctx, await getRevocation(ctx, params.revocationId)),
  }),
  listRevokedConnections: async (ctx, { params, query }) => {
    const { limit = DEFAULT_ITEMS, cursor, state } = query;
    const { id } = await getRevocation(ctx, params.revocationId);
    const after = cursor === undefined ? 0 : cursors.read(cursor).createdAt.getTime();
    const items = await listItems(ctx.db, id, { after, limit: limit + 1, state });
    const shown = items.slice(0, limit);
    const last = items.length > limit ? shown.at(-1) : undefined;
    return {
      data: shown.map(presentItem),
      // A position is a number, as the milliseconds of a time are.
      next_cursor:
        last === undefined ? null : cursors.write({ createdAt: new Date(last.position), id }),
    };
  },
  releaseRevocation: async (ctx, { params, body }) => {
    const { revocationId: id } = params;
    const released = await releaseRevocation(ctx, { id, positions: body?.ids });
    return { data: { released, revocation: await present(ctx, await getRevocation(ctx, id)) } };
  },
  getReportKeys: async (ctx, { params }) => ({
    keys: await listReportKeys(ctx, asEnvironmentId(params.environmentId)),
  }),
  rotateReportKey: async (ctx) => {
    await rotateReportKey(ctx);
    return { keys: await listReportKeys(ctx, ctx.environment.id) };
  },
} satisfies RouteHandlers<typeof revocationRoutes>;

async function getRevocation(ctx: EnvironmentContext, id: string): Promise<Revocation> {
  const revocation = await findRevocation(ctx.db, ctx.environment.id, id);
  if (revocation !== undefined) return revocation;
  throw new AppError("not_found", "No such revocation; they are stored for 400 days.");
}

async function present(ctx: EnvironmentContext, revocation: Revocation) {
  const [presented] = await presentAll(ctx, [revocation]);
  if (presented === undefined) throw new AppError("not_found");
  return presented;
}

async function presentAll(ctx: EnvironmentContext, revocations: readonly Revocation[]) {
  const counts = await countItems(
    ctx.db,
    revocations.map(({ id }) => id),
  );
  return revocations.flatMap((revocation) => {
    const own = counts.get(revocation.id);
    return own === undefined ? [] : [presentRevocation(revocation, own)];
  });
}

// An id of another kind finds nothing.
function asEnvironmentId(text: string): EnvironmentId {
  return text as EnvironmentId;
}
