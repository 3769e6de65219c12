import type { logRoutes } from "@jackfield/contract";
import type { OperationId } from "#foundation";
import type { RouteHandlers } from "#foundation/http";
import { getOperation, listMessages } from "./list-messages.ts";
import { listOperationNames } from "./list-operation-names.ts";
import { listOperations } from "./list-operations.ts";
import { presentMessage, presentOperation } from "./present-logs.ts";

const DEFAULT_LIMIT = 100;
const DEFAULT_NAMES = 20;

export const logHandlers = {
  listOperations: async (ctx, { query }) => {
    const { from, to, search, cursor, limit = DEFAULT_LIMIT, ...filter } = query;
    const { operations, nextCursor, searched } = await listOperations(ctx, {
      filter,
      from: toDate(from),
      to: toDate(to),
      search,
      cursor,
      limit,
    });
    return {
      data: operations.map(presentOperation),
      next_cursor: nextCursor,
      searched:
        searched === null
          ? null
          : { from: searched.from.toISOString(), oldest: searched.oldest.toISOString() },
    };
  },
  listOperationNames: async (ctx, { query }) => {
    const { of, prefix, from, to, limit = DEFAULT_NAMES } = query;
    const period = { from: toDate(from), to: toDate(to) };
    return { data: await listOperationNames(ctx, { of, prefix, ...period, limit }) };
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

function toDate(text: string | undefined): Date | undefined {
  return text === undefined ? undefined : new Date(text);
}

// Any UUID may be asked for; one that names no operation finds none.
function asOperationId(id: string): OperationId {
  return id.toLowerCase() as OperationId;
}
