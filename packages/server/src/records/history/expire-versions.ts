import { addMs, DAY, type SystemContext } from "#foundation";
import { type Db, ownDb, withTransaction } from "#foundation/db";
import { findPartition, hasPartition, type ModelId } from "../store.ts";
import {
  dropVersionTriggers,
  findOldestOf,
  listAllHistories,
  listHistoryRows,
  listModelsNamed,
  lockHistories,
  moveSince,
  type RecordHistory,
  removeEndedHistory,
  removeVersions,
} from "./store.ts";

/** Of one model of one connection: then the oldest go before their time. */
const MOST_VERSIONS = 1_000_000;
const AT_ONCE = 10_000;
const MODELS_AT_ONCE = 1000;

/** Removes versions that are too old or too many, and those of histories that have ended. Runs daily. */
export async function expireVersions(
  ctx: SystemContext,
  { most = MOST_VERSIONS }: { readonly most?: number } = {},
): Promise<void> {
  for (const history of await listAllHistories(ctx.db)) {
    ctx.signal.throwIfAborted();
    const db = ownDb(ctx.db, history.environmentId);
    for await (const model of modelsOf(db, history))
      await expireModel(ctx, { history, model, most });
    if (history.endedAt !== null) await settleEnded(ctx, history);
  }
}

async function* modelsOf(db: Db, history: RecordHistory): AsyncGenerator<ModelId> {
  let after = 0;
  for (;;) {
    const models = await listModelsNamed(db, history, { after, limit: MODELS_AT_ONCE });
    yield* models;
    after = models.at(-1) ?? after;
    if (models.length < MODELS_AT_ONCE) return;
  }
}

async function expireModel(
  ctx: SystemContext,
  { history, model, most }: { history: RecordHistory; model: ModelId; most: number },
): Promise<void> {
  const db = ownDb(ctx.db, history.environmentId);
  const now = ctx.clock.now();
  if (history.endedAt !== null) return await removeBefore(ctx, db, { model, before: undefined });
  await removeBefore(ctx, db, { model, before: addMs(now, -history.days * DAY) });
  const oldest = await findOldestOf(db, model, most);
  if (oldest === undefined) return;
  // First, so that nobody reads a moment whose versions are gone.
  await moveSince(db, history, oldest);
  await removeBefore(ctx, db, { model, before: oldest });
}

async function removeBefore(
  ctx: SystemContext,
  db: Db,
  { model, before }: { model: ModelId; before: Date | undefined },
): Promise<void> {
  for (;;) {
    ctx.signal.throwIfAborted();
    const removed = await removeVersions(db, model, { before, limit: AT_ONCE });
    if (removed < AT_ONCE) return;
  }
}

/** The last one of an environment takes the triggers with it, so that writes cost what they did before. */
async function settleEnded(ctx: SystemContext, ended: RecordHistory): Promise<void> {
  const { environmentId } = ended;
  await withTransaction({ ...ctx, db: ownDb(ctx.db, environmentId) }, async ({ db }) => {
    await lockHistories(db, environmentId);
    await removeEndedHistory(db, ended);
    if ((await listHistoryRows(db, environmentId)).length > 0) return;
    const number = await findPartition(db, environmentId);
    if (number !== undefined && (await hasPartition(db, number))) {
      await dropVersionTriggers(db, number);
    }
  });
}
