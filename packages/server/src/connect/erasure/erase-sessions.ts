import type { ConnectionUuid, EnvironmentContext } from "#foundation";
import { deleteLinksOf, deletePopupsNaming, deleteSessionsOf } from "./store.ts";

/** Deletes an end user's connect sessions and links, open or not; resolves to how many of each. */
export async function eraseSessions(
  ctx: EnvironmentContext,
  person: {
    readonly endUserId: string;
    readonly connections: readonly ConnectionUuid[];
    readonly names: readonly string[];
  },
): Promise<{ sessions: number; links: number }> {
  const { id } = ctx.environment;
  // First, so that none begins another session.
  const links = await deleteLinksOf(ctx.db, id, person);
  await deletePopupsNaming(ctx.db, person.names);
  return { sessions: await deleteSessionsOf(ctx.db, id, person), links };
}
