import type { SystemContext } from "#foundation";
import { listNotedQueues, replaceDueNotes } from "#tasks";
import { INBOX } from "../inbox/inbox.ts";
import { type InboxQueue, listQueues, type WaitingQueue } from "../store.ts";
import { isInboxPrepared } from "./is-prepared.ts";
import { findNextDue } from "./store.ts";

export interface FoundQueue extends WaitingQueue {
  /** By which it was found, where the table of webhooks is distributed. */
  readonly notes: readonly string[];
}

/** Integrations that have something to be handled, the longest due first. */
export async function listWaiting(ctx: SystemContext): Promise<FoundQueue[]> {
  if (!(await isInboxPrepared(ctx))) {
    return (await listQueues(ctx.db)).map((queue) => ({ ...queue, notes: [] }));
  }
  const noted = await listNotedQueues(ctx.db, INBOX);
  return noted.map(({ environmentId, queue, dueAt, notes }) => ({
    ...{ environmentId, integrationId: queue, nextDueAt: dueAt },
    ...{ notes, isPrepared: true },
  }));
}

/** After its turn a queue is found again by what is left of it. */
export async function noteRest(
  { db }: SystemContext,
  queue: InboxQueue & Pick<FoundQueue, "notes">,
): Promise<void> {
  const { environmentId, integrationId, notes } = queue;
  if (notes.length === 0) return;
  const dueAt = await findNextDue(db, queue);
  await replaceDueNotes(db, INBOX, { environmentId, queue: integrationId, notes, dueAt });
}
