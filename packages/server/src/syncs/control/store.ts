import type { EnvironmentId, SyncId } from "#platform";
import { type Db, hotStatement, runHot } from "#platform/db";
import { syncText } from "../store.ts";
import type { Sync } from "../sync.ts";

const lockRows = hotStatement(
  "syncs_lock",
  `select ${syncText} from syncs s
    where s.id = any($2::uuid[]) and (s.environment_id = $1) is true and s.deleted_at is null
    order by s.id for update`,
);

/** Those that are there, locked until the transaction ends; in one order, so that two callers never wait for each other. */
export async function lockSyncsOfIds(
  db: Db,
  environmentId: EnvironmentId,
  ids: readonly SyncId[],
): Promise<Sync[]> {
  return await runHot<Sync>(db, lockRows([environmentId, ids]));
}
