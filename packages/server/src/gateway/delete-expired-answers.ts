import { type SystemContext, windowAt } from "#foundation";
import { deleteAgentWindowsBefore, deleteAnswersBefore } from "./store.ts";

/** Forgets the answers whose 24 hours are over, and counts of agents' sessions; runs once a day. */
export async function deleteExpiredAnswers(ctx: SystemContext): Promise<void> {
  const now = ctx.clock.now();
  await deleteAnswersBefore(ctx.db, now);
  await deleteAgentWindowsBefore(ctx.db, windowAt(now.getTime()));
}
