import type { InstallationContext } from "#platform";
import { logWriterOf } from "./log-writer.ts";

/** Writes all that waits; called at shutdown and by tests before they look. */
export async function flushLogs(
  ctx: Pick<InstallationContext, "keys" | "db" | "log">,
): Promise<void> {
  await logWriterOf(ctx).flush();
}
