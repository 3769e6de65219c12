import { randomUUID } from "node:crypto";
import type { EnvironmentContext } from "#foundation";
import { withTransaction } from "#foundation/db";
import { recordChange } from "#logs";
import { enqueueTask } from "#tasks";
import { webhookTasks } from "../tasks.ts";
import { type AskedReplay, hashOf, type Replay } from "./replay.ts";
import { replayBatch } from "./replay-batch.ts";
import { findRunningReplay, insertReplay } from "./store.ts";

/**
 * Sends ended deliveries of a time again, the oldest first. The first of them are queued when it resolves, often
 * all; the rest follows in the background. Asked again meanwhile, the running one is meant.
 */
export async function replayDeliveries(
  ctx: EnvironmentContext,
  asked: AskedReplay,
): Promise<Replay> {
  const environmentId = ctx.environment.id;
  const [id, hash, startedAt] = [randomUUID(), hashOf(asked), ctx.clock.now()];
  const replay = await withTransaction(ctx, async (ctx) => {
    const filter = { ...asked, until: asked.until ?? startedAt };
    const isFirst = await insertReplay(ctx.db, environmentId, { id, hash, filter, startedAt });
    const known = isFirst ? undefined : await findRunningReplay(ctx.db, environmentId, hash);
    const begun = known ?? (await replayBatch(ctx, { environmentId, id }));
    // Also for a known one, should the queue have given it up.
    if (begun?.endedAt === null) {
      const payload = { environmentId, id: begun.id };
      await enqueueTask(ctx, webhookTasks.replay, payload, { key: begun.id, environmentId });
    }
    return begun;
  });
  // It has ended between the two looks at it.
  if (replay === undefined) return await replayDeliveries(ctx, asked);
  if (replay.id === id) {
    recordChange(ctx, {
      message: replay.endedAt === null ? "Replay webhooks" : `Replay ${replay.replayed} webhooks`,
      meta: { replay: id, since: asked.since, until: asked.until },
    });
  }
  return replay;
}
