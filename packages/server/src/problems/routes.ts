import type { problemRoutes, RouteOutput } from "@jackfield/contract";
import { AppError, keysetCursor } from "#foundation";
import type { RouteHandlers } from "#foundation/http";
import { describeProblem } from "./describe-problem.ts";
import { countsConnections, isOfModel, type Problem, stateOf } from "./problem.ts";
import { findProblemRow, listProblemRows, updateProblemRow } from "./store.ts";

const DEFAULT_LIMIT = 50;
const cursors = keysetCursor({ radix: 36, separator: "." });

export const problemHandlers = {
  listProblems: async (ctx, { query }) => {
    const { state, kind, limit = DEFAULT_LIMIT, cursor } = query;
    const now = ctx.clock.now();
    const after = cursor === undefined ? undefined : cursors.read(cursor);
    const page = { state, kind, now, after, limit: limit + 1 };
    const rows = await listProblemRows(ctx.db, ctx.environment.id, page);
    const shown = rows.slice(0, limit);
    const last = shown.at(-1);
    const isMore = rows.length > limit && last !== undefined;
    return {
      data: shown.map((row) => presentProblem(row, now)),
      next_cursor: isMore ? cursors.write({ createdAt: last.since, id: last.id }) : null,
    };
  },
  getProblem: async (ctx, { params }) => {
    const row = await findProblemRow(ctx.db, ctx.environment.id, params.problemId);
    return { data: presentProblem(row ?? missing(), ctx.clock.now()) };
  },
  updateProblem: async (ctx, { params, body }) => {
    const { mute_until: muteUntil, note, resolved } = body;
    const now = ctx.clock.now();
    const change = {
      muteUntil: typeof muteUntil === "string" ? new Date(muteUntil) : muteUntil,
      note,
      isResolved: resolved,
    };
    const update = { id: params.problemId, now, change };
    const row = await updateProblemRow(ctx.db, ctx.environment.id, update);
    return { data: presentProblem(row ?? missing(), now) };
  },
} satisfies RouteHandlers<typeof problemRoutes>;

function missing(): never {
  throw new AppError("not_found", "No such problem; resolved ones are kept for 30 days.");
}

export function presentProblem(
  problem: Problem,
  now: Date,
): RouteOutput<typeof problemRoutes.getProblem>["data"] {
  const { kind, count, sample } = problem;
  const { severity, title, byItself, nextSteps } = describeProblem(problem);
  const isOfConnections = countsConnections(problem);
  return {
    ...{ id: problem.id, fingerprint: problem.fingerprint, kind, severity, title },
    state: stateOf(problem, now),
    since: problem.since.toISOString(),
    last_at: problem.lastAt.toISOString(),
    count,
    integration: problem.integration,
    function: isOfModel(problem) ? null : problem.function,
    model: isOfModel(problem) ? problem.function : null,
    receiver_url: problem.receiver,
    connections: isOfConnections ? { count, sample: [...sample] } : { count: 0, sample: [] },
    ...{ cause: problem.cause, code: problem.code, place: problem.place },
    sample_operation_id: problem.sampleOperationId,
    first_operation_id: problem.firstOperationId,
    by_itself: byItself,
    next_at: problem.nextAt?.toISOString() ?? null,
    next_steps: [...nextSteps],
    mute_until: problem.muteUntil?.toISOString() ?? null,
    resolved_at: problem.resolvedAt?.toISOString() ?? null,
    note: problem.note,
  };
}
