import { addMs, DAY, type SystemContext } from "#foundation";
import { deleteLinksBefore } from "./links/store.ts";
import { deleteUsedChallengesBefore } from "./passkeys/store.ts";
import { deleteSessionsBefore } from "./sessions/store.ts";
import { deleteFailuresBefore } from "./sign-in-pauses/store.ts";

/** So that a person, and who looks after the installation, still sees what was signed in lately. */
const KEEP_MS = 30 * DAY;

/** Removes sessions and links that ended long ago. */
export async function deleteOldSignIns(ctx: SystemContext): Promise<void> {
  const before = addMs(ctx.clock.now(), -KEEP_MS);
  await deleteSessionsBefore(ctx.db, before);
  await deleteLinksBefore(ctx.db, before);
  await deleteUsedChallengesBefore(ctx.db, addMs(ctx.clock.now(), -DAY));
  await deleteFailuresBefore(ctx.db, addMs(ctx.clock.now(), -DAY));
}
