import type { EnvironmentContext } from "#foundation";
import { type ConnectionName, listNamesOf } from "./store.ts";

/** Connections of the environment by their internal ids; those of others, and deleted ones, are left out. */
export async function listConnectionNames(
  ctx: EnvironmentContext,
  uuids: readonly string[],
): Promise<ConnectionName[]> {
  return uuids.length === 0 ? [] : await listNamesOf(ctx.db, ctx.environment.id, uuids);
}
