import type { ConnectionDeleting } from "#connections";
import type { EnvironmentContext } from "#foundation";
import type { Integration } from "#integrations";
import { listOnEvents, runOnEvent } from "./run-on-event.ts";

/** The answer to the hook `connectionDeletingWatched`. */
export async function hasPreDeletion(
  ctx: EnvironmentContext,
  { integration }: { integration: Pick<Integration, "id"> },
): Promise<boolean> {
  return (await listOnEvents(ctx, integration, "pre-connection-deletion")).length > 0;
}

/** Runs the functions that precede a deletion, for the hook `connectionDeleting`; no failure keeps it back. */
export async function runPreDeletion(
  ctx: EnvironmentContext,
  { integration, connection }: ConnectionDeleting,
): Promise<void> {
  for (const fn of await listOnEvents(ctx, integration, "pre-connection-deletion")) {
    await runOnEvent(ctx, fn, { integration, connection });
  }
}
