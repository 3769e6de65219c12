import type { InstallationContext } from "#platform";
import { deleteAnswersBefore } from "./store.ts";

/** Forgets the answers whose 24 hours are over; runs once a day. */
export async function deleteExpiredAnswers(ctx: InstallationContext): Promise<void> {
  await deleteAnswersBefore(ctx.db, ctx.clock.now());
}
