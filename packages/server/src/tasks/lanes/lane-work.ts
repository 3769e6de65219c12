import type { EnvironmentId, InstallationContext } from "#platform";
import { withTransaction } from "#platform/db";
import type { DueClaim, DueWork } from "../due-loop.ts";
import { enqueueTask } from "../enqueue-task.ts";
import { isMyTurn } from "../hand-out-turn.ts";
import { countPlaces } from "../places.ts";
import type { Task } from "../task.ts";
import { LANES } from "./lane-task.ts";
import { type EnvironmentLoad, findNextTurn, handOut, readLoads } from "./store.ts";

/** A task whose work takes turns, and how much of it runs at once. */
export interface LaneTraffic {
  // The payload is passed on as it was queued.
  readonly task: Task<never>;
  /** For each place of a sync that the installation has. */
  readonly perPlace: number;
  readonly limitOf: (ctx: InstallationContext, id: EnvironmentId) => Promise<number>;
}

/** Of all places no environment takes more, so that others find one. */
const ENVIRONMENT_SHARE = 0.75;

export function shareOf(places: number): number {
  return Math.max(1, Math.floor(places * ENVIRONMENT_SHARE));
}

/** Puts work whose turn it is into the queue, as much as may run at once. */
export function createLaneWork(traffic: readonly LaneTraffic[]): DueWork {
  return {
    name: LANES,
    async claim(ctx) {
      let claimed = 0;
      for (const each of traffic) claimed += await claimOf(ctx, each);
      return claim(ctx, claimed);
    },
  };
}

async function claim(ctx: InstallationContext, claimed: number): Promise<DueClaim> {
  return { claimed, nextDueAt: await findNextTurn(ctx.db, ctx.clock.now()) };
}

async function claimOf(ctx: InstallationContext, traffic: LaneTraffic): Promise<number> {
  const { task } = traffic;
  return await withTransaction(ctx, async (ctx) => {
    const now = ctx.clock.now();
    if (!(await isMyTurn(ctx, task.name))) return 0;
    const { total, waiting } = await readLoads(ctx.db, task.name, now);
    if (waiting.length === 0) return 0;
    const places = Math.ceil((await countPlaces(ctx)) * traffic.perPlace);
    const room = places - total;
    if (room <= 0) return 0;
    const shares = await Promise.all(
      waiting.map(async (load) => ({ ...load, more: await roomOf(ctx, traffic, load, places) })),
    );
    const handed = await handOut(ctx.db, task.name, { shares, room, now });
    for (const { id, payload } of handed) {
      await enqueueTask(ctx, task, asQueued(payload), { key: id });
    }
    return handed.length;
  });
}

async function roomOf(
  ctx: InstallationContext,
  { limitOf }: LaneTraffic,
  { environmentId, busy }: EnvironmentLoad,
  places: number,
): Promise<number> {
  const limit = Math.min(shareOf(places), await limitOf(ctx, environmentId));
  return Math.max(0, limit - busy);
}

// enterLane has checked the payload against the same task.
function asQueued(payload: string): never {
  return JSON.parse(payload) as never;
}
