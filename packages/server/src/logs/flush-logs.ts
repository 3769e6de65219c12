import {
  type EnvironmentContext,
  type EnvironmentId,
  SECOND,
  type SystemContext,
  within,
} from "#foundation";
import { withinPatience } from "#foundation/db";
import { namingLog } from "./log-server.ts";
import { flushTallies } from "./metrics/operation-tallies.ts";
import { type LogState, logWriterOf } from "./writing/log-writer.ts";

type Owner = Pick<SystemContext, "state" | "db" | "log" | "clock">;

/** Writes all that waits, or all of one environment; called by tests before they look. */
export async function flushLogs(ctx: Owner, environmentId?: EnvironmentId): Promise<void> {
  await logWriterOf(ctx).flush(environmentId);
}

/** Counts are as fresh as the log. */
export async function flushOwnMetrics(ctx: EnvironmentContext): Promise<void> {
  await withinPatience(flushTallies(ctx));
}

/** Who looks right after a call wants to see it; what other environments log is not waited for. */
export async function flushOwnLogs(ctx: EnvironmentContext): Promise<void> {
  const flushing = flushLogs(ctx, ctx.environment.id);
  await namingLog(ctx, async () => await withinPatience(flushing));
}

/** What waits to be written, and whether the log is away. */
export function findLogState(ctx: Owner): LogState {
  return logWriterOf(ctx).state;
}

/** At shutdown: a database that is away holds it up for 5 s at most. */
export async function endLogs(ctx: Owner): Promise<void> {
  await Promise.all([logWriterOf(ctx).end(5 * SECOND), within(5 * SECOND, flushTallies(ctx))]);
}
