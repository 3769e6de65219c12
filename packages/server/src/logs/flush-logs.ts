import {
  type EnvironmentContext,
  type EnvironmentId,
  SECOND,
  type SystemContext,
  within,
} from "#platform";
import { withinPatience } from "#platform/db";
import { operationTalliesOf } from "./metrics/operation-tallies.ts";
import { logWriterOf } from "./writing/log-writer.ts";

type Owner = Pick<SystemContext, "state" | "db" | "log" | "clock">;

/** Writes all that waits, or all of one environment; called by tests before they look. */
export async function flushLogs(ctx: Owner, environmentId?: EnvironmentId): Promise<void> {
  await logWriterOf(ctx).flush(environmentId);
}

/** Counts are as fresh as the log. */
export async function flushOwnMetrics(ctx: EnvironmentContext): Promise<void> {
  await withinPatience(operationTalliesOf(ctx).flush());
}

/** Who looks right after a call wants to see it; what other environments log is not waited for. */
export async function flushOwnLogs(ctx: EnvironmentContext): Promise<void> {
  await withinPatience(flushLogs(ctx, ctx.environment.id));
}

/** At shutdown: a database that is away holds it up for 5 s at most. */
export async function endLogs(ctx: Owner): Promise<void> {
  await Promise.all([
    logWriterOf(ctx).end(5 * SECOND),
    within(5 * SECOND, operationTalliesOf(ctx).flush()),
  ]);
}
