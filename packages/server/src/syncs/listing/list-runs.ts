import type { RouteOutput, syncRoutes } from "@jackfield/contract";
import { AppError, type EnvironmentContext, keysetCursor, type SyncId } from "#foundation";
import { hasSync, type ListedRun, listRunRows } from "./store.ts";

export type SyncRun = RouteOutput<typeof syncRoutes.listSyncRuns>["data"][number];

export interface RunPage {
  readonly runs: readonly SyncRun[];
  readonly nextCursor: string | null;
}

const cursors = keysetCursor({ radix: 36, separator: "." });

/** Runs of one sync, newest first; throws not_found and invalid_cursor. */
export async function listSyncRuns(
  ctx: EnvironmentContext,
  { id, limit, cursor }: { id: string; limit: number; cursor: string | undefined },
): Promise<RunPage> {
  const syncId = asSyncId(id);
  const after = cursor === undefined ? undefined : cursors.read(cursor);
  if (!(await hasSync(ctx.db, ctx.environment.id, syncId))) {
    throw new AppError("not_found", "No such sync; list them with GET /syncs.");
  }
  const page = { syncId, after, limit: limit + 1 };
  const rows = await listRunRows(ctx.db, ctx.environment.id, page);
  const listed = rows.slice(0, limit);
  const last = rows.length > limit ? listed.at(-1) : undefined;
  const nextCursor = last === undefined ? null : cursors.write(last);
  return { runs: listed.map(presentRun), nextCursor };
}

// What names no sync of the environment is refused by the question for it.
function asSyncId(id: string): SyncId {
  return id as SyncId;
}

export function presentRun(run: ListedRun): SyncRun {
  const { startedAt, endedAt, error } = run;
  return {
    id: run.id,
    state: run.state,
    trigger: run.trigger.by,
    full_run: run.fullRun,
    attempts: run.attempts,
    created_at: run.createdAt.toISOString(),
    started_at: startedAt?.toISOString() ?? null,
    ended_at: endedAt?.toISOString() ?? null,
    duration_ms: startedAt && endedAt ? endedAt.getTime() - startedAt.getTime() : null,
    result: { ...run.result },
    error: error && { type: error.type, message: error.message },
    cancel_requested_at: run.cancelRequestedAt?.toISOString() ?? null,
    checkpoint: run.trigger.checkpoint ? { ...run.trigger.checkpoint } : null,
    operation_id: run.operationId,
  };
}
