import { SECOND, type SystemContext } from "#foundation";
import { askEach, boundedDb, passedOverUntil, silence, WorkerAway } from "#foundation/db";
import type { NewWebhook } from "../store.ts";
import { insertWithNotes } from "./insert-with-notes.ts";

/** Of each statement about webhooks of several environments. */
const STORED_WITHIN_MS = SECOND;

/**
 * Stores webhooks of several environments where their table is distributed. Where a server is away or does not answer, each
 * environment is tried alone, and only its own webhooks fail. Answers what became of each webhook.
 */
export async function insertWithin(
  ctx: SystemContext,
  rows: readonly NewWebhook[],
): Promise<(row: NewWebhook) => void | Promise<void>> {
  const failed = new Map<NewWebhook, unknown>();
  const groups = [...Map.groupBy(rows, ({ environmentId }) => environmentId)];
  const silent = silence.of(ctx);
  const sure = groups.filter(([id]) => {
    return !silent.isSuspected(id) && passedOverUntil(ctx, id) === undefined;
  });
  const together = sure.length === 1 ? [] : sure;
  const isStored = await storeTogether(
    ctx,
    together.flatMap(([, own]) => own),
  );
  const left = isStored ? groups.filter((group) => !together.includes(group)) : groups;
  const stored = new Set<NewWebhook>();
  const asked = await askEach(ctx, left, async (ctx, own) => {
    await storeOf(ctx, own, { stored, failed });
  });
  for (const { item, outcome } of asked) {
    if (outcome.status === "fulfilled") continue;
    for (const row of item) if (!stored.has(row)) failed.set(row, outcome.reason);
  }
  return async (row) => {
    if (failed.has(row)) throw failed.get(row);
  };
}

/** False where a server is away or does not answer: nothing was stored. */
async function storeTogether(ctx: SystemContext, rows: readonly NewWebhook[]): Promise<boolean> {
  if (rows.length === 0) return true;
  try {
    await insertWithNotes({ ...ctx, db: boundedDb(ctx.db, STORED_WITHIN_MS) }, rows);
    return true;
  } catch (error) {
    if (error instanceof WorkerAway) return false;
    throw error;
  }
}

/** One that the database refuses fails alone. */
async function storeOf(
  ctx: SystemContext,
  rows: readonly NewWebhook[],
  { stored, failed }: { stored: Set<NewWebhook>; failed: Map<NewWebhook, unknown> },
): Promise<void> {
  try {
    await insertWithNotes(ctx, rows);
  } catch (error) {
    if (rows.length === 1 || error instanceof WorkerAway) throw error;
    for (const row of rows) {
      try {
        await insertWithNotes(ctx, [row]);
        stored.add(row);
      } catch (error) {
        if (error instanceof WorkerAway) throw error;
        failed.set(row, error);
      }
    }
  }
}
