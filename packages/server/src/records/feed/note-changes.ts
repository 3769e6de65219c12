import { randomInt } from "node:crypto";
import { AppError, type EnvironmentContext } from "#platform";
import { isPreparedTable, withTransaction } from "#platform/db";
import {
  addFeedEntries,
  addFeedRow,
  type ChangedModel,
  type FeedEntry,
  type FeedHead,
  findFeedHead,
  listChangedModels,
  lockFeedHead,
} from "./store.ts";

/** Models that one transaction notes changes of. */
const MODELS_AT_ONCE = 1000;
/** Epochs are at random, so that a cursor of one environment fits no other. */
const MAX_EPOCH = 2 ** 48 - 1;

/**
 * Notes which models have changed, in an order that only grows. The order numbers of a model become visible one after
 * the other (`lockModel`), and positions of the feed do, too: a reader that is behind a position misses nothing before it,
 * no matter when its writer commits.
 */
export async function noteChanges(ctx: EnvironmentContext): Promise<FeedHead> {
  const environmentId = ctx.environment.id;
  const isDistributed = await isPreparedTable(ctx, "record_models");
  const page = { limit: MODELS_AT_ONCE, isDistributed };
  let head = await findFeedHead(ctx.db, environmentId);
  if (head === undefined) await addFeedRow(ctx.db, environmentId, randomInt(1, MAX_EPOCH));
  for (;;) {
    // Without a lock: most of the time nothing has changed.
    const changed = await listChangedModels(ctx.db, environmentId, page);
    if (changed.length > 0) await notePage(ctx, page);
    if (changed.length < MODELS_AT_ONCE) break;
  }
  head = await findFeedHead(ctx.db, environmentId);
  if (head !== undefined) return head;
  throw new AppError("unknown_environment", "The environment was deleted, its records with it.");
}

async function notePage(
  ctx: EnvironmentContext,
  page: { readonly limit: number; readonly isDistributed: boolean },
): Promise<void> {
  const environmentId = ctx.environment.id;
  await withTransaction(ctx, async ({ db, clock }) => {
    const head = await lockFeedHead(db, environmentId);
    if (head === undefined) return;
    // Read after the lock is held: what another process has noted meanwhile is not noted twice.
    const changed = await listChangedModels(db, environmentId, page);
    if (changed.length === 0) return;
    const entries = toEntries(head.position, changed);
    await addFeedEntries(db, environmentId, { entries, changed, now: clock.now() });
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
