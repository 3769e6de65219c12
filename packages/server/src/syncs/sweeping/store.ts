import { sql } from "kysely";
import type { EnvironmentId, RunId } from "#platform";
import type { Db } from "#platform/db";

/** Runs that hold a sync and have not ended; of all environments. */
export async function listOpenRuns(
  db: Db,
): Promise<{ readonly id: RunId; readonly environmentId: EnvironmentId }[]> {
  const { rows } = await sql<{ id: RunId; environmentId: EnvironmentId }>`
    select r.id, r.environment_id from syncs s join runs r on r.id = s.running_run_id
     where s.running_run_id is not null and r.state in ('waiting', 'running')`.execute(db);
  return rows;
}

/** Gives leases back whose run has ended or is gone; answers how many. Of all environments. */
export async function freeEnded(db: Db, now: Date): Promise<number> {
  const { rows } = await sql`
    update syncs s set running_run_id = null, updated_at = ${now}
     where s.running_run_id is not null and not exists (
       select 1 from runs r where r.id = s.running_run_id and r.state in ('waiting', 'running'))
    returning 1`.execute(db);
  return rows.length;
}

/** The latest run of each sync stays, for its status. Of all environments. */
export async function deleteOldRuns(db: Db, before: Date): Promise<void> {
  await sql`
    delete from runs r where r.ended_at < ${before} and (r.sync_id is null or exists (
      select 1 from runs later where later.sync_id = r.sync_id and later.created_at > r.created_at))
  `.execute(db);
}
