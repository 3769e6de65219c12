import type { EnvironmentId, SystemContext } from "#foundation";
import { DUE_CHANNEL } from "../due/due-channel.ts";
import { notifyDue } from "../due/notify-due.ts";
import type { Task } from "../task.ts";
import { toTracedJson } from "../traced-payload.ts";
import {
  deleteKeyedTask,
  entering,
  insertKeyedTask,
  insertKeyedTasks,
  leaving,
  postponeKeyedTaskRow,
} from "./store.ts";

/** Name of the notice; processes of earlier releases listen to the same one. */
export const KEYED = "lanes";

const NOTICE = { channel: DUE_CHANNEL, name: KEYED } as const;

/** An expression of SQL. */
export type KeyedTaskChange = ReturnType<typeof entering>;

export interface KeyedTask<Payload> {
  /** UUID of the work; the row goes when the work is over (`completeKeyed`). */
  readonly id: string;
  readonly environmentId: EnvironmentId;
  /** What runs one after the other, in the order in which it was queued. */
  readonly queueKey: string;
  readonly payload: Payload;
}

/** Queues work behind all other work of its queue key, in the caller's transaction. */
export async function enqueueKeyed<Payload>(
  ctx: SystemContext,
  task: Task<Payload>,
  work: KeyedTask<Payload>,
): Promise<void> {
  await insertKeyedTask(ctx.db, toRow(ctx, task, work), NOTICE);
}

/**
 * Queues many at once in this order, in the caller's transaction, which holds no lock for each of their keys: they may
 * start shortly after it has committed.
 */
export async function enqueueManyKeyed<Payload>(
  ctx: SystemContext,
  task: Task<Payload>,
  works: readonly KeyedTask<Payload>[],
): Promise<void> {
  if (works.length === 0) return;
  await insertKeyedTasks(
    ctx.db,
    works.map((work) => toRow(ctx, task, work)),
  );
  await notifyDue(ctx, KEYED);
}

/** `enqueueKeyed` as an expression, for a statement that stores the work itself. */
export function enqueuingKeyed<Payload>(
  ctx: SystemContext,
  task: Task<Payload>,
  work: KeyedTask<Payload>,
): KeyedTaskChange {
  return entering(toRow(ctx, task, work), NOTICE);
}

function toRow<Payload>(
  ctx: SystemContext,
  { name }: Task<Payload>,
  { payload, ...work }: KeyedTask<Payload>,
) {
  const text = toTracedJson(payload, ctx.trace);
  return { ...work, task: name, payload: text, runAt: ctx.clock.now() };
}

/** The work is over and the next of its key may start. Call it in the transaction that writes how it ended. */
export async function completeKeyed(ctx: SystemContext, id: string): Promise<void> {
  await deleteKeyedTask(ctx.db, id, NOTICE);
}

/** `completeKeyed` as an expression, for the statement that writes how it ended. */
export function completingKeyed(id: string): KeyedTaskChange {
  return leaving(id, NOTICE);
}

/** The work runs again at that time; it stays first of its key, so those behind it wait. */
export async function postponeKeyed(ctx: SystemContext, id: string, runAt: Date): Promise<void> {
  await postponeKeyedTaskRow(ctx.db, id, runAt);
  await notifyDue(ctx, KEYED);
}
