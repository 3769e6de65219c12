import type { EnvironmentId, InstallationContext } from "#platform";
import { DUE_CHANNEL } from "../due-channel.ts";
import { notifyDue } from "../notify-due.ts";
import type { Task } from "../task.ts";
import { toTracedJson } from "../traced-payload.ts";
import { deleteLaneTask, entering, insertLaneTask, leaving, postponeLaneTask } from "./store.ts";

export const LANES = "lanes";

const NOTICE = { channel: DUE_CHANNEL, name: LANES } as const;

/** An expression of SQL. */
export type LaneChange = ReturnType<typeof entering>;

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
  task: Task<Payload>,
  work: LaneTask<Payload>,
): Promise<void> {
  await insertLaneTask(ctx.db, toRow(ctx, task, work), NOTICE);
}

/** `enterLane` as an expression, for a statement that stores the work itself. */
export function enteringLane<Payload>(
  ctx: InstallationContext,
  task: Task<Payload>,
  work: LaneTask<Payload>,
): LaneChange {
  return entering(toRow(ctx, task, work), NOTICE);
}

function toRow<Payload>(
  ctx: InstallationContext,
  { name }: Task<Payload>,
  { payload, ...work }: LaneTask<Payload>,
) {
  const text = toTracedJson(payload, ctx.trace);
  return { ...work, task: name, payload: text, runAt: ctx.clock.now() };
}

/** The work is over: the next of its lane has its turn. In the transaction that writes how it ended. */
export async function leaveLane(ctx: InstallationContext, id: string): Promise<void> {
  await deleteLaneTask(ctx.db, id, NOTICE);
}

/** `leaveLane` as an expression, for the statement that writes how it ended. */
export function leavingLane(id: string): LaneChange {
  return leaving(id, NOTICE);
}

/** The work runs again at that time; it keeps its turn, so those behind it wait. */
export async function stayInLane(ctx: InstallationContext, id: string, runAt: Date): Promise<void> {
  await postponeLaneTask(ctx.db, id, runAt);
  await notifyDue(ctx, LANES);
}
