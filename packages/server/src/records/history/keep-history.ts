import { AppError, addMs, DAY, type EnvironmentContext } from "#foundation";
import { withTransaction } from "#foundation/db";
import { recordChange } from "#logs";
import { areRecordsPartitioned, ensurePartition } from "../store.ts";
import {
  addVersionTriggers,
  endHistoryRow,
  listHistoryRows,
  lockHistories,
  type RecordHistory,
  saveHistoryRow,
} from "./store.ts";

/** Of one environment. */
const MOST_HISTORIES = 50;

/** Models whose history is kept, by name. */
export async function listHistories(ctx: EnvironmentContext): Promise<RecordHistory[]> {
  const all = await listHistoryRows(ctx.db, ctx.environment.id);
  return all.filter(({ endedAt }) => endedAt === null);
}

/** Throws not_found. */
async function getHistory(ctx: EnvironmentContext, model: string): Promise<RecordHistory> {
  const found = (await listHistories(ctx)).find((history) => history.model === model);
  if (found !== undefined) return found;
  throw new AppError("not_found", `No history is kept of the model ${model}.`);
}

/** The earliest moment that can be read. */
export function earliestOf({ since, days }: RecordHistory, now: Date): Date {
  return new Date(Math.max(since.getTime(), addMs(now, -days * DAY).getTime()));
}

/** Keeps versions from now on, or for another time; throws resource_capped, and conflict where it cannot be done. */
export async function keepHistory(
  ctx: EnvironmentContext,
  { model, days }: { readonly model: string; readonly days: number },
): Promise<RecordHistory> {
  const environmentId = ctx.environment.id;
  if (!(await areRecordsPartitioned(ctx.db))) {
    throw new AppError("conflict", "On a cluster, no history of records is kept.");
  }
  await withTransaction(ctx, async ({ db, clock }) => {
    await lockHistories(db, environmentId);
    const all = (await listHistoryRows(db, environmentId)).filter(
      ({ endedAt }) => endedAt === null,
    );
    const known = all.find((history) => history.model === model);
    if (known !== undefined) {
      // What was removed for the shorter time does not come back.
      const since = earliestOf(known, clock.now());
      await saveHistoryRow(db, { environmentId, model, days, since });
      return;
    }
    if (all.length >= MOST_HISTORIES) {
      const message = `An environment keeps the history of at most ${MOST_HISTORIES} models.`;
      throw new AppError("resource_capped", message);
    }
    const number = await ensurePartition(db, environmentId);
    if (number === undefined) {
      throw new AppError(
        "unknown_environment",
        "The environment was deleted, its records with it.",
      );
    }
    await addVersionTriggers(db, number);
    // Nobody writes records of the environment until this is committed.
    await saveHistoryRow(db, { environmentId, model, days, since: clock.now() });
  });
  recordChange(ctx, { message: `Keep the history of ${model} for ${days} days` });
  return await getHistory(ctx, model);
}

/** Versions are removed within a day; throws not_found. */
export async function endHistory(ctx: EnvironmentContext, model: string): Promise<void> {
  await withTransaction(ctx, async (ctx) => {
    const ended = { model, now: ctx.clock.now() };
    if (!(await endHistoryRow(ctx.db, ctx.environment.id, ended))) await getHistory(ctx, model);
  });
  recordChange(ctx, { message: `Keep no history of ${model}` });
}
