import { addMs, HOUR, type SystemContext } from "#platform";
import { expireOpenOperations } from "../store.ts";

/** Longer than any run may take. */
export const EXPIRES_AFTER_MS: number = 25 * HOUR;

/** Operations whose process is gone end as `timeout`; called every day. */
export async function expireOperations(ctx: SystemContext): Promise<void> {
  const now = ctx.clock.now();
  const count = await expireOpenOperations(ctx.db, { before: addMs(now, -EXPIRES_AFTER_MS), now });
  if (count > 0) ctx.log.warn("logs.operations_expired", { count });
}
