import { listAllEnvironments } from "#environments";
import { type EnvironmentId, reasonOf, type SystemContext } from "#foundation";
import { passingOver, WorkerAway, withTransaction } from "#foundation/db";
import { areDeliveriesPrepared } from "../distributed/is-prepared.ts";
import { deleteUnusedReceivers, listUnusedReceivers } from "./store.ts";

const ROWS_AT_ONCE = 1000;

/** Removes addresses of which no webhook is left; the next one to such an address adds it again. Runs daily. */
export async function removeUnusedReceivers(ctx: SystemContext): Promise<void> {
  const isPrepared = await areDeliveriesPrepared(ctx);
  for (const { id } of await listAllEnvironments(ctx.db)) {
    const removing = passingOver(ctx, id, async (ctx) => await removeOf(ctx, id, isPrepared));
    if ((await removing) === false) return;
  }
}

/** False where the rest has to wait for tomorrow. */
async function removeOf(
  ctx: SystemContext,
  id: EnvironmentId,
  isPrepared: boolean,
): Promise<boolean> {
  let after: string | undefined;
  do {
    ctx.signal.throwIfAborted();
    const limits = { after, limit: ROWS_AT_ONCE, isPrepared };
    const page = await listUnusedReceivers(ctx.db, id, limits);
    after = page.last;
    if (page.unused.length === 0) continue;
    try {
      const unused = { ids: page.unused, isPrepared };
      await withTransaction(ctx, async ({ db }) => await deleteUnusedReceivers(db, id, unused));
    } catch (error) {
      if (error instanceof WorkerAway) throw error;
      // Somebody adds receivers in a long transaction: tomorrow, then.
      ctx.log.info("webhooks.receivers_kept", { reason: reasonOf(error) });
      return false;
    }
  } while (after !== undefined);
  return true;
}
