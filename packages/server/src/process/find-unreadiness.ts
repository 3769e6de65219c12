import type { SystemContext } from "#foundation";
import { clusterWorkers, isDatabaseReady, replicas } from "#foundation/db";
import { findLogState, logServer } from "#logs";
import type { Degraded } from "#status";
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

/** What is away while all else works: the process serves, and so stays ready. */
export async function findDegraded(
  ctx: Pick<SystemContext, "state" | "db" | "log" | "clock">,
): Promise<Degraded> {
  const parts: Degraded["parts"][number][] = [];
  if (await isLogAway(ctx)) parts.push("logs");
  if ((replicas.of(ctx)?.leftOut.length ?? 0) > 0) parts.push("replicas");
  const workers = (await clusterWorkers.of(ctx)?.findAway())?.length ?? 0;
  if (workers > 0) parts.push("workers");
  return { parts, workers };
}

async function isLogAway(
  ctx: Pick<SystemContext, "state" | "db" | "log" | "clock">,
): Promise<boolean> {
  const server = logServer.of(ctx);
  if (server === undefined) return false;
  if (server.db === undefined || findLogState(ctx).isAway) return true;
  return !(await isDatabaseReady(server.db));
}
