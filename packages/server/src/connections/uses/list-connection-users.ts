import type { ConnectionUuid, EnvironmentContext } from "#foundation";
import { flushUses } from "./count-uses.ts";
import { type ConnectionUser, listUsersRows } from "./store.ts";

/** Who has used or read any of these connections, those with the most of them first. */
export async function listConnectionUsers(
  ctx: EnvironmentContext,
  options: { readonly uuids: readonly ConnectionUuid[]; readonly limit: number },
): Promise<ConnectionUser[]> {
  await flushUses(ctx);
  return await listUsersRows(ctx.db, ctx.environment.id, options);
}
