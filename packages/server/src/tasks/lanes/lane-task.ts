import type { EnvironmentId, InstallationContext } from "#platform";
import { withTransaction } from "#platform/db";
import { notifyDue } from "../notify-due.ts";
import type { Task } from "../task.ts";
import { toTracedJson } from "../traced-payload.ts";
import {
  deleteLaneTask,
  insertLaneTask,
  lockLane,
  postponeLaneTask,
  unblockNext,
} from "./store.ts";

export const LANES = "lanes";

export interface LaneTask<Payload> {
  /** UUID of the work; the row goes when the work is over (`leaveLane`). */
  readonly id: string;
  readonly environmentId: EnvironmentId;
  /** What runs one after the other, in the order in which it was queued. */
  readonly lane: string;
  readonly payload: Payload;
}

/** Queues work behind all other of its lane, in the caller's transaction. */
export async function enterLane<Payload>(
  ctx: InstallationContext,
  { name }: Task<Payload>,
  { payload, ...place }: LaneTask<Payload>,
): Promise<void> {
  await withTransaction(ctx, async (ctx) => {
    await lockLane(ctx.db, { task: name, lane: place.lane });
    const row = {
      ...place,
      task: name,
      payload: toTracedJson(payload, ctx.trace),
      runAt: ctx.clock.now(),
    };
    await insertLaneTask(ctx.db, row);
    await notifyDue(ctx, LANES);
  });
}

/** The work is over: the next of its lane has its turn. In the transaction that writes how it ended. */
export async function leaveLane(ctx: InstallationContext, id: string): Promise<void> {
  await withTransaction(ctx, async (ctx) => {
    const place = await deleteLaneTask(ctx.db, id);
    if (place === undefined) return;
    await lockLane(ctx.db, place);
    await unblockNext(ctx.db, place);
    await notifyDue(ctx, LANES);
  });
}

/** The work runs again at that time; it keeps its turn, so those behind it wait. */
export async function stayInLane(ctx: InstallationContext, id: string, runAt: Date): Promise<void> {
  await postponeLaneTask(ctx.db, id, runAt);
  await notifyDue(ctx, LANES);
}
