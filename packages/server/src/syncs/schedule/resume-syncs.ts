import type { ConnectionCreated } from "#connections";
import type { EnvironmentContext } from "#foundation";
import { isCredentialFailure } from "#functions";
import { notifyDue } from "#tasks";
import { listLatestRuns } from "../runs/store.ts";
import { lockSyncsOf, updateSync } from "../store.ts";
import { DUE_SYNCS } from "./due-name.ts";

/**
 * A connection was authorized again: its syncs whose latest run failed for want of credentials run now, and count their
 * failures from the start. What is paused stays so. A run that fails for the credentials of before, and ends after this,
 * is followed by another (`hasNewCredentials`).
 */
export async function resumeSyncsOfConnection(
  ctx: EnvironmentContext,
  { connection, operation }: ConnectionCreated,
): Promise<void> {
  if (operation !== "override") return;
  const { id: environmentId } = ctx.environment;
  const locked = await lockSyncsOf(ctx.db, environmentId, connection.uuid);
  const ids = locked
    .filter(({ paused, runningRunId }) => !paused && runningRunId === null)
    .map(({ id }) => id);
  const runs = ids.length === 0 ? [] : await listLatestRuns(ctx.db, environmentId, ids);
  const failed = runs.filter(
    ({ state, error }) => state === "failed" && error !== null && isCredentialFailure(error),
  );
  const now = ctx.clock.now();
  for (const { syncId } of failed) {
    if (syncId === null) continue;
    const change = { nextRunAt: now, consecutiveFailures: 0 };
    await updateSync(ctx.db, environmentId, syncId, change, now);
  }
  if (failed.length > 0) await notifyDue(ctx, DUE_SYNCS);
}
