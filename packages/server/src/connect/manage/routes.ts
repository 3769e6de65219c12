import type { manageRoutes } from "@jackfield/contract";
import type { RouteHandlers } from "#foundation/http";
import { deleteOwn, listOwnConnections, reconnectOwn } from "./own-connections.ts";

export const manageHandlers = {
  listOwnConnections: async (ctx) => ({ data: await listOwnConnections(ctx) }),
  reconnectOwnConnection: async (ctx, { params }) => {
    const { token, connectLink, expiresAt } = await reconnectOwn(ctx, params.ownConnectionId);
    return { data: { token, connect_link: connectLink, expires_at: expiresAt.toISOString() } };
  },
  deleteOwnConnection: async (ctx, { params }) => {
    await deleteOwn(ctx, params.ownConnectionId);
    return undefined;
  },
} satisfies RouteHandlers<typeof manageRoutes>;
