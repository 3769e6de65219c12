import type { SystemContext } from "#platform";
import { isDatabaseReady } from "#platform/db";
import type { Workers } from "#tasks";

/** Why this process should get no requests; undefined while it should. */
export async function findUnreadiness(
  { db }: Pick<SystemContext, "db">,
  { leaving, workers }: { readonly leaving: AbortSignal; readonly workers: Workers | undefined },
): Promise<string | undefined> {
  if (leaving.aborted) return "the process is stopping";
  if (!(await isDatabaseReady(db))) return "the database does not answer";
  const [stalled] = workers?.stalledQueues ?? [];
  return stalled === undefined ? undefined : `due jobs of the queue \`${stalled}\` wait`;
}
