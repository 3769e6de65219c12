import type { SystemContext } from "#platform";
import { deleteAnswersBefore } from "./store.ts";

/** Forgets the answers whose 24 hours are over; runs once a day. */
export async function deleteExpiredAnswers(ctx: SystemContext): Promise<void> {
  await deleteAnswersBefore(ctx.db, ctx.clock.now());
}
