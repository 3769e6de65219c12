import type { EnvironmentContext, EnvironmentId, InstallationContext } from "#platform";
import { logWriterOf } from "./writing/log-writer.ts";

type Owner = Pick<InstallationContext, "keys" | "db" | "log" | "clock">;

/** Writes all that waits, or all of one environment; called at shutdown and by tests before they look. */
export async function flushLogs(ctx: Owner, environmentId?: EnvironmentId): Promise<void> {
  await logWriterOf(ctx).flush(environmentId);
}

/** Who looks right after a call wants to see it; what other environments log is not waited for. */
export async function flushOwnLogs(ctx: EnvironmentContext): Promise<void> {
  await flushLogs(ctx, ctx.environment.id);
}
