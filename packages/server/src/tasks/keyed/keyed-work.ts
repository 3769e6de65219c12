import { addMs, type EnvironmentId, SECOND, type SystemContext } from "#foundation";
import { withTransaction } from "#foundation/db";
import { ceilingOf } from "#foundation/fair-slots";
import { countSlots } from "../count-slots.ts";
import type { DueClaim, DueWork } from "../due/due-loop.ts";
import { tryHandOut } from "../due/try-hand-out.ts";
import { enqueueTasks } from "../enqueue-task.ts";
import type { Task } from "../task.ts";
import { KEYED } from "./keyed-task.ts";
import {
  type EnvironmentLoad,
  findEntered,
  handOut,
  listDueTasks,
  type QueuedLoad,
  readLoads,
  settleKeyedTasks,
} from "./store.ts";

/** A keyed task, and how much of it runs at once. */
export interface KeyedTaskLimits {
  // The payload is passed on as it was queued.
  readonly task: Task<never>;
  /** For each sync slot of the installation. */
  readonly perSlot: number;
  /** What an environment may have at once, within its share of the slots. */
  readonly limitOf?: (ctx: SystemContext, id: EnvironmentId) => Promise<number>;
}

/** Every queued or completed task wakes the check of all of them. */
const REST_MS = 10;

/** In one transaction: each is a lock in memory that all sessions share. */
const SETTLED_AT_ONCE = 100;

/** Hands out the work that is first of its key, as much as may run at once. */
export function createKeyedWork(limits: readonly KeyedTaskLimits[]): DueWork {
  const entered = new EnteredWork();
  return {
    name: KEYED,
    restMs: REST_MS,
    async claim(ctx) {
      const names = limits.map(({ task }) => task.name);
      const now = ctx.clock.now();
      let due = await listDueTasks(ctx.db, names, now);
      const claims: DueClaim[] = [];
      if (due.hasEntered) {
        claims.push({ claimed: await entered.settle(ctx), nextDueAt: now });
        due = await listDueTasks(ctx.db, names, now);
      }
      for (const each of limits) {
        const nextDueAt = due.nextRunAt.get(each.task.name);
        const isDue = nextDueAt !== undefined && nextDueAt <= now;
        claims.push(isDue ? await claimOf(ctx, each) : { claimed: 0, nextDueAt });
      }
      return {
        claimed: claims.reduce((sum, { claimed }) => sum + claimed, 0),
        nextDueAt: earliest(claims.map(({ nextDueAt }) => nextDueAt)),
      };
    },
  };
}

/** Work that came in with many others: whose turn it is is decided for some at a time. */
class EnteredWork {
  #servedLast: EnvironmentId | undefined;

  /** Environments take turns, however many each has. */
  async settle({ db }: SystemContext): Promise<number> {
    this.#servedLast = (await findEntered(db, this.#servedLast)) ?? (await findEntered(db));
    if (this.#servedLast === undefined) return 0;
    return await settleKeyedTasks(db, this.#servedLast, SETTLED_AT_ONCE);
  }
}

async function claimOf(ctx: SystemContext, limits: KeyedTaskLimits): Promise<DueClaim> {
  const { task } = limits;
  return await withTransaction(ctx, async (ctx) => {
    const now = ctx.clock.now();
    // Who hands out knows when more is due, unless it dies.
    if (!(await tryHandOut(ctx, task.name))) return { claimed: 0, nextDueAt: addMs(now, SECOND) };
    const loads = await readLoads(ctx.db, task.name);
    const isDue = ({ nextRunAt }: QueuedLoad) => nextRunAt !== null && nextRunAt <= now;
    const waiting = loads.filter(isDue);
    // What is due now and finds no room is handed out when something ends.
    const later = loads.filter((load) => !isDue(load));
    const nextDueAt = earliest(later.map(({ nextRunAt }) => nextRunAt ?? undefined));
    if (waiting.length === 0) return { claimed: 0, nextDueAt };
    const slots = Math.ceil((await countSlots(ctx)) * limits.perSlot);
    const room = slots - loads.reduce((sum, { busy }) => sum + busy, 0);
    if (room <= 0) return { claimed: 0, nextDueAt };
    const shares = await Promise.all(
      waiting.map(async (load) => ({ ...load, more: await roomOf(ctx, limits, load, slots) })),
    );
    const handed = await handOut(ctx.db, task.name, { shares, room, now });
    const jobs = handed.map(({ id, payload }) => ({ payload: asQueued(payload), key: id }));
    await enqueueTasks(ctx, task, jobs);
    return { claimed: handed.length, nextDueAt };
  });
}

function earliest(times: readonly (Date | undefined)[]): Date | undefined {
  const known = times.filter((time) => time !== undefined).map(Number);
  return known.length === 0 ? undefined : new Date(Math.min(...known));
}

async function roomOf(
  ctx: SystemContext,
  { limitOf = async () => Number.POSITIVE_INFINITY }: KeyedTaskLimits,
  { environmentId, busy }: EnvironmentLoad,
  slots: number,
): Promise<number> {
  const share = ceilingOf(slots, ctx.settings.environmentShare);
  const limit = Math.min(share, await limitOf(ctx, environmentId));
  return Math.max(0, limit - busy);
}

// enqueueKeyed has checked the payload against the same task.
function asQueued(payload: string): never {
  return JSON.parse(payload) as never;
}
