import type { EnvironmentId, SyncId } from "#foundation";
import { type Db, hotStatement, runHot } from "#foundation/db";
import { syncText } from "../store.ts";
import type { Sync } from "../sync.ts";

const lockFreeRows = hotStatement(
  "syncs_lock_free",
  `select ${syncText} from syncs s
    where s.id = any($2::uuid[]) and (s.environment_id = $1) is true and s.deleted_at is null
    for update skip locked`,
);

/** Those that are there and that no other transaction holds, locked until this one ends. */
export async function lockFreeSyncs(
  db: Db,
  environmentId: EnvironmentId,
  ids: readonly SyncId[],
): Promise<Sync[]> {
  return await runHot<Sync>(db, lockFreeRows([environmentId, ids]));
}
