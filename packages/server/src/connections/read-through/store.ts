import type { EnvironmentId } from "#foundation";
import type { Db } from "#foundation/db";
import type { Attempt } from "../refresh/store.ts";
import { changeOf } from "../store.ts";

/**
 * Says who refreshes from now on, and when the state is looked at though nobody asks; false when the credentials were
 * replaced meanwhile.
 */
export async function storeReadThrough(
  db: Db,
  environmentId: EnvironmentId,
  { uuid, version, fence }: Attempt,
  { readThrough, lookAt }: { readonly readThrough: string | null; readonly lookAt: Date | null },
): Promise<boolean> {
  const row = await changeOf(db, environmentId, uuid)
    .where("credentialVersion", "=", version)
    .where("refreshFence", "=", fence)
    .set({ readThrough, nextRefreshAt: lookAt })
    .returning("id")
    .executeTakeFirst();
  return row !== undefined;
}
