import { randomInt } from "node:crypto";
import { AppError, type EnvironmentContext } from "#foundation";
import { isPreparedSchema, withTransaction } from "#foundation/db";
import type { ModelId } from "../store.ts";
import {
  type ChangedModel,
  compareModels,
  hasFeedNotes,
  listChangedModels,
  takeFeedNotes,
} from "./changed-store.ts";
import {
  addFeedEntries,
  addFeedRow,
  type FeedEntry,
  type FeedHead,
  findFeedHead,
  lockFeedHead,
} from "./store.ts";

/** Models that one transaction notes changes of. */
const MODELS_AT_ONCE = 1000;
const NOTES_AT_ONCE = 1000;
/** Epochs are at random, so that a cursor of one environment fits no other. */
const MAX_EPOCH = 2 ** 48 - 1;

/**
 * Notes which models have changed, in an order that only grows. The order numbers of a model become visible one after
 * the other (`lockModel`), and positions of the feed do, too: a reader that is behind a position misses nothing before it,
 * no matter when its writer commits.
 */
export async function noteChanges(ctx: EnvironmentContext): Promise<FeedHead> {
  const environmentId = ctx.environment.id;
  const isDistributed = await isPreparedSchema(ctx);
  const head = (await findFeedHead(ctx.db, environmentId)) ?? (await addFeed(ctx));
  if (head === undefined) throw gone();
  if (head.isCompared) await noteCompared(ctx, isDistributed);
  else await noteFollowed(ctx);
  const noted = await findFeedHead(ctx.db, environmentId);
  if (noted === undefined) throw gone();
  return noted;
}

async function addFeed({ db, environment: { id } }: EnvironmentContext) {
  await addFeedRow(db, id, randomInt(1, MAX_EPOCH));
  return await findFeedHead(db, id);
}

function gone(): AppError {
  return new AppError("unknown_environment", "The environment was deleted, its records with it.");
}

/** Compares all models with what is noted of them. */
async function noteCompared(ctx: EnvironmentContext, isDistributed: boolean): Promise<void> {
  // Without a lock: most of the time nothing has changed.
  const found = await compareModels(ctx.db, ctx.environment.id, isDistributed);
  for (let from = 0; from < found.length; from += MODELS_AT_ONCE) {
    const ids = found.slice(from, from + MODELS_AT_ONCE);
    await noteModels(ctx, isDistributed, async () => ids);
  }
}

/** Looks at the models whose changes have left a note; does nothing where the feed has gone meanwhile. */
export async function noteFollowed(ctx: EnvironmentContext): Promise<void> {
  const environmentId = ctx.environment.id;
  const isDistributed = await isPreparedSchema(ctx);
  const takeSome = async ({ db }: EnvironmentContext) => [
    ...new Set(await takeFeedNotes(db, environmentId, NOTES_AT_ONCE)),
  ];
  while (await hasFeedNotes(ctx.db, environmentId)) {
    if (!(await noteModels(ctx, isDistributed, takeSome))) return;
  }
}

/** False where the feed is gone. */
async function noteModels(
  ctx: EnvironmentContext,
  isDistributed: boolean,
  choose: (ctx: EnvironmentContext) => Promise<ModelId[]>,
): Promise<boolean> {
  const environmentId = ctx.environment.id;
  return await withTransaction(ctx, async (ctx) => {
    const { db, clock } = ctx;
    const head = await lockFeedHead(db, environmentId);
    if (head === undefined) return false;
    const ids = await choose(ctx);
    // Read after the lock is held: what another process has noted meanwhile is not noted twice.
    const changed = await listChangedModels(db, environmentId, { ids, isDistributed });
    if (changed.length === 0) return true;
    const entries = toEntries(head.position, changed);
    await addFeedEntries(db, environmentId, { entries, changed, now: clock.now() });
    return true;
  });
}

function toEntries(position: number, changed: readonly ChangedModel[]): FeedEntry[] {
  const ranges = changed.flatMap((each): Omit<FeedEntry, "position">[] => {
    const { id, connection, model, sequence } = each;
    const of = { id, connection, model };
    const removal = each.isCleared ? [{ ...of, after: null, until: null }] : [];
    // What is left, and what was saved since, is sent again behind the removal.
    const after = each.isCleared ? 0 : each.noted;
    const range = sequence !== null && sequence > after ? [{ ...of, after, until: sequence }] : [];
    return [...removal, ...range];
  });
  return ranges.map((range, index) => ({ ...range, position: position + index + 1 }));
}
