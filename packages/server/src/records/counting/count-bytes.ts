import type { SystemContext } from "#foundation";
import { withTransaction } from "#foundation/db";
import { countBytesOf, forgetCounted, listUncounted } from "./store.ts";

const AT_ONCE = 1000;

/**
 * Counts the bytes of models that an earlier release has written to. Runs daily; a model that changes while it is
 * counted is counted the next time.
 */
export async function countBytes(ctx: SystemContext): Promise<void> {
  const { db, signal } = ctx;
  let after = 0;
  for (;;) {
    const models = await listUncounted(db, { after, limit: AT_ONCE });
    for (const model of models) {
      signal.throwIfAborted();
      await countBytesOf(db, model);
      await withTransaction(ctx, async ({ db }) => await forgetCounted(db, model));
    }
    after = models.at(-1) ?? after;
    if (models.length < AT_ONCE) return;
  }
}
