import type { endUserRoutes, RouteOutput } from "@jackfield/contract";
import { hashEndUser } from "#connections";
import { AppError, keysetCursor } from "#foundation";
import type { RouteHandlers } from "#foundation/http";
import { eraseEndUser } from "./erase-end-user.ts";
import { type Erasure, erasedKinds } from "./erasure.ts";
import { findErasure, listErasures } from "./store.ts";

const DEFAULT_LIMIT = 50;
const cursors = keysetCursor({ radix: 36, separator: "." });

export const endUserHandlers = {
  deleteEndUser: async (ctx, { params }) => ({
    data: presentErasure(await eraseEndUser(ctx, params.endUserId)),
  }),
  listErasures: async (ctx, { query }) => {
    const { limit = DEFAULT_LIMIT, cursor, end_user_id: endUserId } = query;
    const subjectHash = endUserId === undefined ? undefined : await hashEndUser(ctx, endUserId);
    const after = cursor === undefined ? undefined : cursors.read(cursor);
    const page = { subjectHash, after, limit: limit + 1 };
    const rows = await listErasures(ctx.db, ctx.environment.id, page);
    const shown = rows.slice(0, limit);
    const last = rows.length > limit ? shown.at(-1) : undefined;
    return {
      data: shown.map(presentErasure),
      next_cursor: last === undefined ? null : cursors.write(last),
    };
  },
  getErasure: async (ctx, { params }) => {
    const erasure = await findErasure(ctx.db, ctx.environment.id, params.erasureId);
    if (erasure === undefined) throw new AppError("not_found", "No such erasure.");
    return { data: presentErasure(erasure) };
  },
} satisfies RouteHandlers<typeof endUserRoutes>;

function presentErasure(erasure: Erasure): RouteOutput<typeof endUserRoutes.getErasure>["data"] {
  const { id, counts, createdAt, endedAt } = erasure;
  return {
    id,
    state: endedAt === null ? "running" : "done",
    erased: Object.fromEntries(erasedKinds.map((kind) => [kind, counts[kind] ?? 0])) as Record<
      (typeof erasedKinds)[number],
      number
    >,
    created_at: createdAt.toISOString(),
    ended_at: endedAt?.toISOString() ?? null,
  };
}
