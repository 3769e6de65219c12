import { addMs, HOUR, type SystemContext } from "#foundation";
import { getWholeLog } from "../log-server.ts";
import { countEndedRow } from "../metrics/count-operation.ts";
import { expireOpenOperations } from "../store.ts";

/** Longer than any run may take. */
export const EXPIRES_AFTER_MS: number = 25 * HOUR;

const AT_ONCE = 1000;

/** Operations whose process is gone end as `timeout`; called every day. */
export async function expireOperations(ctx: SystemContext): Promise<void> {
  const now = ctx.clock.now();
  const before = addMs(now, -EXPIRES_AFTER_MS);
  let count = 0;
  for (;;) {
    ctx.signal.throwIfAborted();
    const wanted = { before, now, limit: AT_ONCE };
    const ended = await expireOpenOperations(getWholeLog(ctx), wanted);
    for (const row of ended) countEndedRow(ctx, row, { state: "timeout", endedAt: now });
    if (ended.length === 0) break;
    count += ended.length;
  }
  if (count > 0) ctx.log.warn("logs.operations_expired", { count });
}
