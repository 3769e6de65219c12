import { findEnvironment } from "#environments";
import {
  addMs,
  type EnvironmentContext,
  type EnvironmentId,
  SECOND,
  type SystemContext,
  withEnvironment,
} from "#foundation";
import { isPreparedSchema, WorkerAway, withinBound } from "#foundation/db";
import { enqueueTask, listUnqueued, type TaskHandlers } from "#tasks";
import { keyOf } from "./erase-end-user.ts";
import { type AddCounts, type StepResult, steps } from "./steps.ts";
import { addErased, findOpenErasure, listOpenErasures, noteStep } from "./store.ts";
import { openSubject, sealSubject } from "./subject.ts";
import { erasureTasks } from "./tasks.ts";

const LOOK_AGAIN_MS = 5 * SECOND;
/** Of each statement of a step, where tables are distributed. */
const ERASED_WITHIN_MS = 20 * SECOND;
const PASSED_OVER_MS = 20 * SECOND;
/** Other processes write what they have logged within a second, and after an outage as soon as the database is back. */
const LOGS_WRITTEN_MS = 10 * SECOND;

export const erasureTaskHandlers: TaskHandlers<typeof erasureTasks> = {
  erase: async (system, named) => {
    const ctx = await enter(system, named.environmentId);
    if (ctx === undefined) return;
    let waitMs: number | undefined = 0;
    while (waitMs === 0) waitMs = await takeStepWithin(ctx, named.id);
    if (waitMs === undefined) return;
    const runAt = addMs(ctx.clock.now(), waitMs);
    const options = { runAt, key: keyOf(named.id), environmentId: named.environmentId };
    await enqueueTask(ctx, erasureTasks.erase, named, options);
  },
};

/** A server of a cluster that does not answer holds up no worker of the queue: the step is repeated later. */
export async function takeStepWithin(
  ctx: EnvironmentContext,
  id: string,
  { withinMs = ERASED_WITHIN_MS } = {},
): Promise<number | undefined> {
  if (!(await isPreparedSchema(ctx))) return await takeStep(ctx, id);
  const step = async (ctx: EnvironmentContext) => await takeStep(ctx, id);
  try {
    return await withinBound(ctx, ctx.environment.id, step, { withinMs });
  } catch (error) {
    if (error instanceof WorkerAway) return PASSED_OVER_MS;
    throw error;
  }
}

/** How long to wait before the next step; undefined when there is none. */
export async function takeStep(ctx: EnvironmentContext, id: string): Promise<number | undefined> {
  ctx.signal.throwIfAborted();
  const environmentId = ctx.environment.id;
  const open = await findOpenErasure(ctx.db, environmentId, id);
  const step = open && steps[open.step];
  if (open === undefined || step === undefined) return undefined;
  const addCounts: AddCounts = async ({ db }, counts) =>
    await addErased(db, environmentId, { id, erased: counts });
  const subject = await openSubject(ctx, id, open.subject);
  const result: StepResult = await step(ctx, subject, addCounts);
  await ctx.failpoints.hit("end-users.step_taken");
  if ("wait" in result) return LOOK_AGAIN_MS;
  const isLast = open.step === steps.length - 1;
  await noteStep(ctx.db, environmentId, {
    id,
    step: open.step,
    erased: result.erased ?? {},
    subject: result.subject && (await sealSubject(ctx, id, result.subject)),
    endedAt: isLast ? ctx.clock.now() : null,
  });
  await ctx.failpoints.hit("end-users.step_done");
  if (isLast) return undefined;
  return open.step === steps.length - 2 ? LOGS_WRITTEN_MS : 0;
}

async function enter(
  ctx: SystemContext,
  id: EnvironmentId,
): Promise<EnvironmentContext | undefined> {
  // With an environment goes all that its end users have.
  const environment = await findEnvironment(ctx, id);
  return environment && withEnvironment(ctx, environment);
}

/** Takes up erasures that the queue has given up; runs daily. */
export async function resumeErasures(ctx: SystemContext): Promise<void> {
  const open = new Map((await listOpenErasures(ctx.db)).map((named) => [keyOf(named.id), named]));
  for (const key of await listUnqueued(ctx, [...open.keys()])) {
    const named = open.get(key);
    if (named === undefined) continue;
    const { environmentId } = named;
    await enqueueTask(ctx, erasureTasks.erase, named, { key, environmentId });
  }
}
