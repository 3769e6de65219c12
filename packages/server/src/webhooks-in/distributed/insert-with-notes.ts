import type { SystemContext } from "#foundation";
import { withTransaction } from "#foundation/db";
import { insertDueNotes, notifyDue } from "#tasks";
import { INBOX } from "../inbox/inbox.ts";
import type { NewWebhook } from "../store.ts";
import { countBytes, insertDistributed } from "./store.ts";

/** Stores webhooks where their table is distributed: with a note for each queue, from which it is found. */
export async function insertWithNotes(
  ctx: SystemContext,
  rows: readonly NewWebhook[],
): Promise<void> {
  const queues = Map.groupBy(rows, ({ integrationId }) => integrationId);
  const notes = [...queues.values()].flatMap(([first]) =>
    first === undefined
      ? []
      : [
          {
            environmentId: first.environmentId,
            queue: first.integrationId,
            dueAt: first.receivedAt,
          },
        ],
  );
  const bytes = rows.map(({ environmentId, request }) => ({
    environmentId,
    bytes: request.byteLength,
  }));
  await withTransaction(ctx, async (ctx) => {
    await insertDistributed(ctx.db, rows);
    await insertDueNotes(ctx.db, INBOX, notes);
    await countBytes(ctx.db, bytes);
    await notifyDue(ctx, INBOX);
  });
}
