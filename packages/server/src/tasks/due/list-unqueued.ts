import type { SystemContext } from "#foundation";
import { findUnqueued } from "../store.ts";

/** Of the keys that tasks were queued under, those that the queue has lost or given up. */
export async function listUnqueued(
  ctx: Pick<SystemContext, "db">,
  keys: readonly string[],
): Promise<string[]> {
  return keys.length === 0 ? [] : await findUnqueued(ctx.db, keys);
}
