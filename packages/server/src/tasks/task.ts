import assert from "node:assert";
import type { SystemContext } from "#foundation";

declare const payloadType: unique symbol;

export type QueueName = "chores" | "runs";

/** In one process. */
export const CHORES_AT_ONCE = 16;

/** A piece of work that is queued: which payload it takes, and where it runs. */
export interface Task<Payload> {
  readonly name: string;
  /** `chores`: what may wait a little; `runs`: what is only queued while there is a slot for it. */
  readonly queue: QueueName;
  /** A worker's death counts as an attempt. */
  readonly maxAttempts: number;
  readonly [payloadType]?: (payload: Payload) => void;
}

/** A failed attempt is repeated after about 3, 7, 20, 55, … seconds, up to `maxAttempts`. */
export function defineTask<Payload>(task: {
  readonly name: string;
  readonly queue: QueueName;
  readonly maxAttempts: number;
}): Task<Payload> {
  assert(task.maxAttempts >= 1, `${task.name} needs an attempt`);
  return task;
}

export type PayloadOf<T> = T extends Task<infer Payload> ? Payload : never;

export interface Attempt {
  /** From 1 on. */
  readonly number: number;
  readonly isLast: boolean;
}

/** `ctx.signal` is aborted when the worker stops; the job then runs again elsewhere. */
export type TaskHandler<Payload> = (
  ctx: SystemContext,
  payload: Payload,
  attempt: Attempt,
) => Promise<void>;

/** One handler for each task of a slice's map, under the same name. */
export type TaskHandlers<Tasks> = {
  readonly [Name in keyof Tasks]: TaskHandler<PayloadOf<Tasks[Name]>>;
};

/** A task with what does it, its payload's type forgotten. */
export interface BoundTask {
  readonly name: string;
  readonly queue: QueueName;
  readonly handle: TaskHandler<never>;
}

/** Ties a slice's tasks to their handlers, for app.ts to hand to `startWorkers`. */
export function bindTasks<Tasks extends Readonly<Record<string, Task<never>>>>(
  tasks: Tasks,
  handlers: TaskHandlers<Tasks>,
): BoundTask[] {
  return Object.entries(tasks).map(([key, { name, queue }]) => {
    const handle = Reflect.get(handlers, key);
    assert(typeof handle === "function", `${name} has no handler`);
    return { name, queue, handle };
  });
}
