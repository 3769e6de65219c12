import { sql } from "kysely";
import { LRUCache } from "lru-cache";
import { addMs, type Clock, SECOND } from "../../clock.ts";
import type { EnvironmentId } from "../../ids.ts";
import type { Logger } from "../../logger/index.ts";
import { type ServerStates, serverState } from "../../server-state.ts";
import type { Db } from "../owned-db.ts";
import { WorkerAway, WorkerSilent } from "../sessions/database-away.ts";
import { boundedDb } from "./bounded-db.ts";
import { isPreparedSchema } from "./prepared-schema.ts";
import { clusterWorkers } from "./worker-watch.ts";

/** Of each statement about rows of one environment: a server that does not answer holds up no other for longer. */
const ANSWERED_WITHIN_MS = SECOND;
/** Before an environment whose server did not answer is asked again. */
const PASSED_OVER_MS = 15 * SECOND;
/** Before it is looked whether a server that is away has come back. */
const AWAY_MS = 2 * SECOND;

/** Of environments that did not answer: one that is forgotten is asked like any other. */
const MOST_SUSPECTED = 10_000;

/**
 * Environments whose server did not answer, in this process; all work passes them over for a while. After that they are
 * suspected until they answer: few of them are asked at a time, and others do not wait for that.
 */
export class Silence {
  readonly #until = new LRUCache<EnvironmentId, Date>({ max: MOST_SUSPECTED });

  /** Until when it is passed over; undefined where it is not. */
  until(environmentId: EnvironmentId, now: Date): Date | undefined {
    const until = this.#until.get(environmentId);
    return until !== undefined && until > now ? until : undefined;
  }

  isSuspected(environmentId: EnvironmentId): boolean {
    return this.#until.has(environmentId);
  }

  /** Those that are passed over or suspected. */
  list(): EnvironmentId[] {
    return [...this.#until.keys()];
  }

  /** Those that may be asked again, the one first that has been silent for longest. */
  listSuspected(now: Date): EnvironmentId[] {
    const since = (id: EnvironmentId) => this.#until.get(id)?.getTime() ?? 0;
    const suspected = this.list().filter((id) => this.until(id, now) === undefined);
    return suspected.toSorted((a, b) => since(a) - since(b));
  }

  /** It did not answer. */
  note(environmentId: EnvironmentId, now: Date): void {
    this.#until.set(environmentId, addMs(now, PASSED_OVER_MS));
  }

  noteAnswer(environmentId: EnvironmentId): void {
    this.#until.delete(environmentId);
  }
}

export const silence = serverState(() => new Silence());

/** Those that are passed over or suspected of silence, or whose server is away. */
export function listSilent(ctx: Pick<Asked, "state">): EnvironmentId[] {
  const away = clusterWorkers.of(ctx)?.listAway() ?? [];
  return [...new Set([...silence.of(ctx).list(), ...away])];
}

/** Until when no work asks for rows of the environment, since their server is away or did not answer; undefined: it is asked. */
export function passedOverUntil(
  ctx: Pick<Asked, "state" | "clock">,
  environmentId: EnvironmentId,
): Date | undefined {
  const now = ctx.clock.now();
  // The watch asks by itself whether that server is back.
  if (clusterWorkers.of(ctx)?.isAway(environmentId)) return addMs(now, AWAY_MS);
  return silence.of(ctx).until(environmentId, now);
}

export interface Asked {
  readonly db: Db;
  readonly state: ServerStates;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Does work about rows of one environment alone, which lie on one server of a cluster, each statement within `withinMs` (1 s unless
 * given). Throws `WorkerSilent` where that server does not answer, and at once while the environment is passed over.
 */
export async function withinAnswer<Ctx extends Asked, Result>(
  ctx: Ctx,
  environmentId: EnvironmentId,
  work: (ctx: Ctx) => Promise<Result>,
  { withinMs = ANSWERED_WITHIN_MS } = {},
): Promise<Result> {
  const until = passedOverUntil(ctx, environmentId);
  if (until !== undefined) {
    throw new WorkerSilent(new Error(`passed over until ${until.toISOString()}`));
  }
  const silent = silence.of(ctx);
  try {
    const result = await work({ ...ctx, db: boundedDb(ctx.db, withinMs) });
    silent.noteAnswer(environmentId);
    return result;
  } catch (error) {
    if (error instanceof WorkerSilent) {
      silent.note(environmentId, ctx.clock.now());
      clusterWorkers.of(ctx)?.look();
      ctx.log.warn("database.worker_silent", { environment: environmentId });
    }
    throw error;
  }
}

/** Whether rows of the environment can be read: noticed within a second, before work whose statements may take long. */
export async function requireReadable(ctx: Asked, environmentId: EnvironmentId): Promise<void> {
  await withinAnswer(ctx, environmentId, async ({ db }) => {
    await sql`select from webhook_receivers where environment_id = ${environmentId} limit 1`.execute(
      db,
    );
  });
}

/**
 * Does work for one environment whose statements may take long, and may be about models of records, which lie on other
 * servers. One that exceeds its time throws `WorkerSilent`, but says nothing of the environment: that is asked by itself,
 * before the work and after such a statement.
 */
export async function withinBound<Ctx extends Asked, Result>(
  ctx: Ctx,
  environmentId: EnvironmentId,
  work: (ctx: Ctx) => Promise<Result>,
  { withinMs }: { readonly withinMs: number },
): Promise<Result> {
  await requireReadable(ctx, environmentId);
  try {
    return await work({ ...ctx, db: boundedDb(ctx.db, withinMs) });
  } catch (error) {
    if (!(error instanceof WorkerSilent)) throw error;
    await requireReadable(ctx, environmentId);
    ctx.log.warn("database.statement_timed_out", { environment: environmentId, withinMs });
    throw error;
  }
}

/** In a chore, of each statement about one environment. */
const CHORE_WITHIN_MS = 30 * SECOND;

/**
 * Does a chore's part for one environment, where tables are distributed within bounds: one whose server is away or does not
 * answer is left for the next time. Undefined then.
 */
export async function passingOver<Ctx extends Asked, Result>(
  ctx: Ctx,
  environmentId: EnvironmentId,
  work: (ctx: Ctx) => Promise<Result>,
): Promise<Result | undefined> {
  if (!(await isPreparedSchema(ctx))) return await work(ctx);
  try {
    return await withinBound(ctx, environmentId, work, { withinMs: CHORE_WITHIN_MS });
  } catch (error) {
    if (!(error instanceof WorkerAway)) throw error;
    ctx.log.warn("database.environment_passed_over", { environment: environmentId });
    return undefined;
  }
}
