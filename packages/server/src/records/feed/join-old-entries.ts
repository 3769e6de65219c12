import { listAllEnvironments } from "#environments";
import { DAY, type SystemContext } from "#platform";
import { ownDb } from "#platform/db";
import { dropOldRemovals, joinOldEntries } from "./store.ts";

/** Readers that stopped longer ago get all records of the models that have changed since. */
const JOINED_AFTER_MS = 7 * DAY;
/** Readers that stopped longer ago have to start again. */
const FORGOTTEN_AFTER_MS = 90 * DAY;

/** Keeps feeds from growing with time: of what is old, an entry for each model is left. Runs daily. */
export async function joinOldFeedEntries({ db, clock }: SystemContext): Promise<void> {
  const now = clock.now().getTime();
  for (const { id } of await listAllEnvironments(db)) {
    const own = ownDb(db, id);
    await joinOldEntries(own, id, new Date(now - JOINED_AFTER_MS));
    await dropOldRemovals(own, id, new Date(now - FORGOTTEN_AFTER_MS));
  }
}
