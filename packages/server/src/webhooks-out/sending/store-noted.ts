import type { EnvironmentId, SystemContext } from "#platform";
import { WorkerAway, withTransaction } from "#platform/db";
import { noteDue } from "../distributed/note-deliveries.ts";
import { endLeases, insertAttempts, keepTurns, recoverReceivers } from "../distributed/store.ts";
import type { DeliveryOutcome } from "./store.ts";

/**
 * What `storeOutcomes` does, where deliveries are distributed: of one environment after the other. Those of an environment
 * whose server is away are not stored, and are sent again once their leases have run out.
 */
export async function storeNoted(
  ctx: SystemContext,
  outcomes: readonly DeliveryOutcome[],
): Promise<Set<string>> {
  const stored = new Set<string>();
  for (const [environmentId, own] of Map.groupBy(outcomes, (each) => each.environmentId)) {
    try {
      for (const id of await storeOf(ctx, environmentId, own)) stored.add(id);
    } catch (error) {
      if (!(error instanceof WorkerAway)) throw error;
      ctx.log.warn("webhooks.outcomes_not_stored", {
        environment: environmentId,
        count: own.length,
      });
    }
  }
  return stored;
}

async function storeOf(
  ctx: SystemContext,
  environmentId: EnvironmentId,
  outcomes: readonly DeliveryOutcome[],
): Promise<readonly string[]> {
  return await withTransaction(ctx, async (ctx) => {
    const { db } = ctx;
    const keys = await endLeases(db, environmentId, outcomes);
    const ids = new Set(keys.map(({ id }) => id));
    const stored = outcomes.filter(({ id }) => ids.has(id));
    await insertAttempts(db, environmentId, stored);
    await keepTurns(db, environmentId, keys);
    const received = outcomes.filter(({ state }) => state === "delivered");
    const receivers = [...new Set(received.map(({ receiverId }) => receiverId))];
    const isOpenAgain = await recoverReceivers(db, environmentId, receivers);
    const retries = stored.flatMap(({ nextAttemptAt }) => nextAttemptAt?.getTime() ?? []);
    if (isOpenAgain) await noteDue(ctx, environmentId, ctx.clock.now());
    else if (retries.length > 0) await noteDue(ctx, environmentId, new Date(Math.min(...retries)));
    return [...ids];
  });
}
