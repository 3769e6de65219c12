import type { SystemContext } from "#platform";
import { commonDb, findDatabaseAway, withinPatience } from "#platform/db";
import { insertSessions, type NewSession } from "../store.ts";

interface Waiting {
  readonly row: NewSession;
  readonly stored: () => void;
  readonly failed: (error: unknown) => void;
}

const BATCH_ROWS = 100;

/** Stores sessions that are made at the same time by one statement; alone, a session waits for nothing. */
class SessionWriter {
  #waiting: Waiting[] = [];
  #isFlushing = false;

  async store(ctx: SystemContext, row: NewSession): Promise<void> {
    const { promise, resolve: stored, reject: failed } = Promise.withResolvers<void>();
    this.#waiting.push({ row, stored, failed });
    if (!this.#isFlushing) void this.#flush(ctx);
    await withinPatience(promise);
  }

  async #flush(ctx: SystemContext): Promise<void> {
    this.#isFlushing = true;
    // Requests that were read in the same turn of the loop share a statement.
    await new Promise(setImmediate);
    while (this.#waiting.length > 0) await storeBatch(ctx, this.#waiting.splice(0, BATCH_ROWS));
    this.#isFlushing = false;
  }
}

async function storeBatch(ctx: SystemContext, batch: readonly Waiting[]): Promise<void> {
  try {
    await insertSessions(
      ctx.db,
      batch.map(({ row }) => row),
    );
    for (const { stored } of batch) stored();
  } catch (error) {
    // Each by itself would fare no better.
    const isAway = findDatabaseAway(error) !== undefined;
    // One that cannot be stored, as when its environment was just deleted, must not fail the others.
    if (batch.length === 1 || isAway) for (const { failed } of batch) failed(error);
    else await Promise.all(batch.map(async (each) => await storeBatch(ctx, [each])));
  }
}

// One for each running server; its keys are the same object in all of its contexts.
const writers = new WeakMap<SystemContext["keys"], SessionWriter>();

/** Resolves once the session is stored. */
export async function storeSession(ctx: SystemContext, row: NewSession): Promise<void> {
  const writer = writers.get(ctx.keys) ?? new SessionWriter();
  writers.set(ctx.keys, writer);
  // Written for all environments together.
  await writer.store({ ...ctx, db: commonDb(ctx.db) }, row);
}
