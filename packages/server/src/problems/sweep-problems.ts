import { findEnvironment, getWebhookTargets } from "#environments";
import {
  addMs,
  DAY,
  type EnvironmentContext,
  type EnvironmentId,
  SECOND,
  type SystemContext,
  serverState,
  withEnvironment,
} from "#foundation";
import {
  isPreparedSchema,
  listSilent,
  requireReadable,
  silence,
  WorkerAway,
  withTimeout,
  withTransaction,
} from "#foundation/db";
import { announceChange, CHANGES, type ChangeTopic, readChanges } from "#logs";
import { type DueWork, tryHandOut } from "#tasks";
import { sendEach } from "#webhooks-out";
import {
  PartAway,
  positionsAfter,
  readSources,
  type SourcePositions,
} from "./causes/distributed/store.ts";
import { presentProblem } from "./routes.ts";
import type { SweptProblem } from "./store.ts";
import { deleteOldProblems, sweepRows } from "./store.ts";

const SWEEP_EVERY_MS = 30 * SECOND;
/** Sweeps that follow changes begin so long one after the other, and take a hundredth of the time at most. */
const LEAST_REST_MS = 5 * SECOND;
const REST_SHARE = 100;
const KEEP_RESOLVED_MS = 30 * DAY;
const QUEUED_WITHIN_MS = SECOND;

/**
 * Opens problems whose cause is there, and resolves those whose cause has ended; in one process at a time. What changes
 * in connections and syncs brings the next sweep forward.
 */
export const problemSweep: DueWork = {
  name: "problems.sweep",
  async claim(ctx, wake) {
    const pace = paces.of(ctx);
    pace.follow(ctx, wake);
    const now = ctx.clock.now();
    if (now < pace.earliestAt) return { claimed: 0, nextDueAt: pace.earliestAt };
    const begunMs = performance.now();
    await sweepProblems(ctx);
    const restMs = Math.max(LEAST_REST_MS, REST_SHARE * (performance.now() - begunMs));
    pace.earliestAt = addMs(now, Math.min(restMs, SWEEP_EVERY_MS));
    return { claimed: 0, nextDueAt: addMs(ctx.clock.now(), SWEEP_EVERY_MS) };
  },
};

/** When the next sweep of this process may begin, and what brings it forward. */
class Pace implements Disposable {
  earliestAt = new Date(0);
  #subscription: Disposable | undefined;

  follow({ notices }: SystemContext, wake: () => void): void {
    this.#subscription ??= notices.subscribe(CHANGES, (detail) => {
      const changes = detail === undefined ? [] : readChanges(detail);
      if (changes.some(({ topics }) => topics.some((topic) => causes.has(topic)))) wake();
    });
  }

  [Symbol.dispose](): void {
    this.#subscription?.[Symbol.dispose]();
  }
}

const causes: ReadonlySet<ChangeTopic> = new Set(["connections", "syncs"]);

const paces = serverState(() => new Pace());

/** Of sources that are too large for one sweep: where the next one of this process continues. */
const positions = serverState((): { next: SourcePositions } => ({ next: new Map() }));

/** Parts that a sweep finds silent, at most; with more of them it fails, and is repeated without those. */
const MOST_LEFT = 8;
/** Environments suspected of silence that are asked before a sweep, at the same time. */
const MOST_ASKED = 4;

export async function sweepProblems(ctx: SystemContext): Promise<void> {
  const swept = await sweepWithout(ctx, await findSilent(ctx));
  const environments = new Set(swept.map(({ environmentId }) => environmentId));
  for (const environmentId of environments) announceChange(ctx, environmentId, "problems");
}

/**
 * Environments that are passed over or suspected of silence: the sweep begins without them. A few of the suspected are asked
 * before it, apart from all others.
 */
async function findSilent(ctx: SystemContext): Promise<Set<PartAway["part"]>> {
  const silent = silence.of(ctx);
  const asked = silent.listSuspected(ctx.clock.now()).slice(0, MOST_ASKED);
  await Promise.allSettled(asked.map(async (id) => await requireReadable(ctx, id)));
  return new Set(listSilent(ctx).map((environmentId) => ({ environmentId })));
}

/** A part whose server is away or does not answer undoes the sweep, which is repeated without it. */
async function sweepWithout(
  ctx: SystemContext,
  left: ReadonlySet<PartAway["part"]>,
  tries = MOST_LEFT,
): Promise<SweptProblem[]> {
  try {
    return await withTransaction(ctx, async (ctx) => await sweepOnce(ctx, left));
  } catch (error) {
    if (!(error instanceof PartAway)) throw error;
    const { part } = error;
    // The next sweep begins without it.
    if (typeof part !== "string") silence.of(ctx).note(part.environmentId, ctx.clock.now());
    if (tries === 0) throw error;
    ctx.log.warn("problems.part_left_out", { part });
    return await sweepWithout(ctx, new Set([...left, part]), tries - 1);
  }
}

async function sweepOnce(
  ctx: SystemContext,
  left: ReadonlySet<PartAway["part"]>,
): Promise<SweptProblem[]> {
  if (!(await tryHandOut(ctx, problemSweep.name))) return [];
  const now = ctx.clock.now();
  const isPrepared = await isPreparedSchema(ctx);
  const position = positions.of(ctx);
  const read = isPrepared ? await readSources(ctx.db, now, left, position.next) : undefined;
  const passedOver = [...left].flatMap((part) =>
    typeof part === "string" ? [] : part.environmentId,
  );
  const swept = await sweepRows(ctx.db, now, { ...read, passedOver });
  await sendProblemWebhooks(ctx, swept, isPrepared);
  if (read !== undefined) position.next = positionsAfter(read.read);
  return swept;
}

/** Called every day. */
export async function forgetOldProblems(ctx: SystemContext): Promise<void> {
  await deleteOldProblems(ctx.db, addMs(ctx.clock.now(), -KEEP_RESOLVED_MS));
}

/** Queues a webhook for each problem that has opened or ended, in the transaction of the sweep, where it is wanted. */
async function sendProblemWebhooks(
  ctx: SystemContext,
  swept: readonly SweptProblem[],
  isPrepared: boolean,
): Promise<void> {
  const byEnvironment = Map.groupBy(
    swept.filter(({ change }) => change !== "changed"),
    ({ environmentId }) => environmentId,
  );
  for (const [environmentId, problems] of byEnvironment) {
    const environment = await findEnvironment(ctx, environmentId);
    if (environment === undefined) continue;
    const send = async () => await sendTo(withEnvironment(ctx, environment), problems);
    if (!isPrepared) await send();
    else await withTimeout(ctx.db, QUEUED_WITHIN_MS, send).catch(throwPartOf(environmentId));
  }
}

function throwPartOf(environmentId: EnvironmentId): (error: unknown) => never {
  return (error) => {
    throw error instanceof WorkerAway ? new PartAway({ environmentId }, error) : error;
  };
}

async function sendTo(ctx: EnvironmentContext, problems: readonly SweptProblem[]): Promise<void> {
  const { settings } = await getWebhookTargets(ctx);
  if (!settings.on_problem) return;
  const now = ctx.clock.now();
  const audible = problems.filter(({ muteUntil }) => muteUntil === null || muteUntil <= now);
  await sendEach(
    ctx,
    audible.map((problem) => ({
      type: "problem" as const,
      body: {
        from: "svc",
        type: "problem",
        operation: problem.change,
        problem: presentProblem(problem, now),
      },
    })),
  );
}
