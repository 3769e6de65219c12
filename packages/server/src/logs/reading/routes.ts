import type { logRoutes, RouteInput, RouteOutput } from "@jackfield/contract";
import { type EnvironmentContext, type OperationId, serverState } from "#foundation";
import { type RouteHandlers, SharedAnswers } from "#foundation/http";
import { noSpan } from "#foundation/instruments";
import { getOperation, listMessages } from "./list-messages.ts";
import { listOperationNames } from "./list-operation-names.ts";
import { listOperations } from "./list-operations.ts";
import { presentMessage, presentOperation } from "./present-logs.ts";

const DEFAULT_LIMIT = 100;
const DEFAULT_NAMES = 20;

/** An equal list of people in one environment is read this often at most. */
const LISTS_EVERY_MS = 500;

// What a list answers depends on the environment and the question alone: who may not ask is refused before.
const sharedLists = serverState(() => new SharedAnswers(LISTS_EVERY_MS));

export const logHandlers = {
  listOperations: async (ctx, { query }) => {
    // Programs read when they have a reason to; pages of people read whenever there is something new, all at once.
    if (ctx.actor.kind !== "user") return await answerList(ctx, query);
    const question = JSON.stringify([ctx.environment.id, query]);
    const lasting = { ...ctx, signal: new AbortController().signal, trace: noSpan };
    return await sharedLists.of(ctx).get(question, async () => await answerList(lasting, query));
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

type ListRoute = typeof logRoutes.listOperations;

async function answerList(
  ctx: EnvironmentContext,
  query: RouteInput<ListRoute>["query"],
): Promise<RouteOutput<ListRoute>> {
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
}

function toDate(text: string | undefined): Date | undefined {
  return text === undefined ? undefined : new Date(text);
}

// Any UUID may be asked for; one that names no operation finds none.
function asOperationId(id: string): OperationId {
  return id.toLowerCase() as OperationId;
}
