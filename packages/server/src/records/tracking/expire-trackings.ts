import { addMs, DAY, type SystemContext } from "#foundation";
import { withTransaction } from "#foundation/db";
import { lockModelById } from "../store.ts";
import { expireTrackings, listOldTrackings } from "./store.ts";

const KEEP_MS = 7 * DAY;

/**
 * Ends the noting of what is saved where a tracking has not come to its end for a week, for it would grow without
 * bound; its end deletes nothing then. Runs daily.
 */
export async function expireOldTrackings(ctx: SystemContext): Promise<void> {
  const before = addMs(ctx.clock.now(), -KEEP_MS);
  for (const model of await listOldTrackings(ctx.db, before)) {
    await withTransaction(ctx, async ({ db }) => {
      if (await lockModelById(db, model)) await expireTrackings(db, model, before);
    });
  }
}
