import type { logRoutes } from "@jackfield/contract";
import type { OperationId } from "#platform";
import type { RouteHandlers } from "#platform/http";
import { getOperation, listMessages } from "./list-messages.ts";
import { listOperations } from "./list-operations.ts";
import { presentMessage, presentOperation } from "./present-logs.ts";

const DEFAULT_LIMIT = 100;

export const logHandlers = {
  listOperations: async (ctx, { query }) => {
    const { from, to, search, cursor, limit = DEFAULT_LIMIT, ...filter } = query;
    const { operations, nextCursor } = await listOperations(ctx, {
      filter,
      from: from === undefined ? undefined : new Date(from),
      to: to === undefined ? undefined : new Date(to),
      search,
      cursor,
      limit,
    });
    return { data: operations.map(presentOperation), next_cursor: nextCursor };
  },
  getOperation: async (ctx, { params }) => ({
    data: presentOperation(await getOperation(ctx, asOperationId(params.id))),
  }),
  listOperationMessages: async (ctx, { params, query }) => {
    const { levels, search, order, cursor, limit = DEFAULT_LIMIT } = query;
    const { messages, nextCursor, previousCursor } = await listMessages(ctx, {
      operationId: asOperationId(params.id),
      levels,
      search,
      order,
      cursor,
      limit,
    });
    return {
      data: messages.map(presentMessage),
      next_cursor: nextCursor,
      previous_cursor: previousCursor,
    };
  },
} satisfies RouteHandlers<typeof logRoutes>;

// Any UUID may be asked for; one that names no operation finds none.
function asOperationId(id: string): OperationId {
  return id.toLowerCase() as OperationId;
}
