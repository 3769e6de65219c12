import { listAllEnvironments } from "#environments";
import { DAY, type SystemContext, withEnvironment } from "#foundation";
import { ownDb } from "#foundation/db";
import { dropLostFeedNotes, listNotedFeeds } from "./changed-store.ts";
import { noteFollowed } from "./note-changes.ts";
import { dropOldRemovals, joinOldEntries } from "./store.ts";

/** Readers that stopped longer ago get all records of the models that have changed since. */
const JOINED_AFTER_MS = 7 * DAY;
/** Readers that stopped longer ago have to start again. */
const FORGOTTEN_AFTER_MS = 90 * DAY;

/**
 * Keeps feeds from growing with time: notes of changes that no reader has looked at are taken, and of what is old, an
 * entry for each model is left. Runs daily.
 */
export async function joinOldFeedEntries(ctx: SystemContext): Promise<void> {
  const { db, clock } = ctx;
  const now = clock.now().getTime();
  await dropLostFeedNotes(db);
  const noted = new Set(await listNotedFeeds(db));
  for (const environment of await listAllEnvironments(db)) {
    const { id } = environment;
    if (noted.has(id)) await noteFollowed(withEnvironment(ctx, environment));
    const own = ownDb(db, id);
    await joinOldEntries(own, id, new Date(now - JOINED_AFTER_MS));
    await dropOldRemovals(own, id, new Date(now - FORGOTTEN_AFTER_MS));
  }
}
