import { LRUCache } from "lru-cache";
import { type EnvironmentContext, serverState } from "#foundation";
import {
  addModel,
  findModelId,
  findModelRow,
  hasEnvironment,
  type KnownModel,
  type LockedModel,
  lockModelRow,
  type ModelId,
  type ModelKey,
} from "../store.ts";

const MOST_REMEMBERED = 50_000;
/** It may be removed right after, as where its environment is being deleted. */
const ADD_ATTEMPTS = 3;

// The number of a model never changes. One that has gone leads to no row, and is looked for again.
const ids = serverState(() => new LRUCache<string, ModelId>({ max: MOST_REMEMBERED }));

type ModelContext = Pick<EnvironmentContext, "db" | "state" | "environment">;

/** Undefined when nothing has been saved yet. */
export async function findModel(ctx: ModelContext, key: ModelKey): Promise<KnownModel | undefined> {
  return await withRow(ctx, key, async (id) => await findModelRow(ctx.db, id));
}

/**
 * Makes the writers of one model take turns until they commit. The order numbers are handed out inside,
 * so that none ever becomes visible after a higher one, and a reader's cursor skips nothing (J15).
 */
export async function lockModel(ctx: ModelContext, key: ModelKey, now: Date): Promise<LockedModel> {
  const lock = async (id: ModelId) => await lockModelRow(ctx.db, id);
  const known = await withRow(ctx, key, lock);
  // After the lock, which may have been waited for; where it was deleted, adding the model refuses.
  if (known !== undefined && (await hasEnvironment(ctx.db, ctx.environment.id))) return known;
  for (let attempt = 0; attempt < ADD_ATTEMPTS; attempt += 1) {
    const added = await lock(await addModel(ctx.db, ctx.environment.id, key, now));
    if (added !== undefined) return added;
  }
  throw new Error(`the model ${key.model} of ${key.connection} is gone whenever it is added`);
}

/** The number of a model, which may have gone; undefined when nothing has been saved yet. */
export async function findKnownId(ctx: ModelContext, key: ModelKey): Promise<ModelId | undefined> {
  const known = ids.of(ctx).get(nameOf(ctx, key));
  return known ?? (await findModelId(ctx.db, ctx.environment.id, key));
}

function nameOf({ environment }: ModelContext, { connection, model }: ModelKey): string {
  return `${environment.id} ${connection} ${model}`;
}

async function withRow<Row>(
  ctx: ModelContext,
  key: ModelKey,
  read: (id: ModelId) => Promise<Row | undefined>,
): Promise<Row | undefined> {
  const name = nameOf(ctx, key);
  const remembered = ids.of(ctx);
  const known = remembered.get(name);
  const row = known === undefined ? undefined : await read(known);
  if (row !== undefined) return row;
  remembered.delete(name);
  const id = await findModelId(ctx.db, ctx.environment.id, key);
  if (id === undefined || id === known) return undefined;
  const found = await read(id);
  if (found !== undefined) remembered.set(name, id);
  return found;
}
