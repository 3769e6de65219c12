import type { EnvironmentId, SystemContext } from "#foundation";
import { askEach, WorkerAway, withTransaction } from "#foundation/db";
import { noteDue } from "../distributed/note-deliveries.ts";
import { endLeases, insertAttempts, recoverReceivers, updateQueued } from "../distributed/store.ts";
import type { DeliveryOutcome } from "./store.ts";

/**
 * What `storeOutcomes` does, where deliveries are distributed: of each environment by itself. Those of an environment
 * whose server is away, or does not answer, are not stored, and are sent again once their leases have run out.
 */
export async function storeNoted(
  ctx: SystemContext,
  outcomes: readonly DeliveryOutcome[],
): Promise<Set<string>> {
  const groups = Map.groupBy(outcomes, (each) => each.environmentId);
  const asked = await askEach(
    ctx,
    groups,
    async (ctx, own, environmentId) => await storeOf(ctx, environmentId, own),
  );
  const stored = new Set<string>();
  for (const { environmentId, item, outcome } of asked) {
    if (outcome.status === "fulfilled") for (const id of outcome.value) stored.add(id);
    else if (!(outcome.reason instanceof WorkerAway)) throw outcome.reason;
    else {
      const count = item.length;
      ctx.log.warn("webhooks.outcomes_not_stored", { environment: environmentId, count });
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
    await updateQueued(db, environmentId, keys);
    const received = outcomes.filter(({ state }) => state === "delivered");
    const receivers = [...new Set(received.map(({ receiverId }) => receiverId))];
    const isOpenAgain = await recoverReceivers(db, environmentId, receivers);
    const retries = stored.flatMap(({ nextAttemptAt }) => nextAttemptAt?.getTime() ?? []);
    if (isOpenAgain) await noteDue(ctx, environmentId, ctx.clock.now());
    else if (retries.length > 0) await noteDue(ctx, environmentId, new Date(Math.min(...retries)));
    return [...ids];
  });
}
