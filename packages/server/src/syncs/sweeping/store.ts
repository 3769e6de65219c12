import { sql } from "kysely";
import type { EnvironmentId, RunId } from "#platform";
import type { Db } from "#platform/db";

// From environment to environment, and to each row by its id: see claim/store.ts.
const leases = sql`
  select held.* from environments e
   cross join lateral (
     select id as sync_id, running_run_id as run_id from syncs
      where environment_id = e.id and running_run_id is not null offset 0) held`;

/** Runs that hold a sync and have not ended; of all environments. */
export async function listOpenRuns(
  db: Db,
): Promise<{ readonly id: RunId; readonly environmentId: EnvironmentId }[]> {
  const { rows } = await sql<{ id: RunId; environmentId: EnvironmentId }>`
    select r.id, r.environment_id from (${leases}) held
     cross join lateral (select * from runs where id = held.run_id offset 0) r
     where r.state in ('waiting', 'running')`.execute(db);
  return rows;
}

/** Gives leases back whose run has ended or is gone; answers how many. Of all environments. */
export async function freeEnded(db: Db, now: Date): Promise<number> {
  const { rows } = await sql`
    with ended as materialized (
      select held.* from (${leases}) held
       where not exists (
         select from runs where id = held.run_id and state in ('waiting', 'running') offset 0))
    update syncs s set running_run_id = null, updated_at = ${now}
      from ended
     where s.id = any(array(select sync_id from ended))
       and s.id = ended.sync_id and s.running_run_id = ended.run_id
    returning 1`.execute(db);
  return rows.length;
}

/**
 * Of a page of runs, in the order in which they were made, removes those that ended before a time; the latest of each
 * sync stays, for its status. Answers the last run of the page. Of all environments.
 */
export async function deleteOldRuns(
  db: Db,
  { after, before, limit }: { after: RunId | undefined; before: Date; limit: number },
): Promise<{ readonly id: RunId; readonly createdAt: Date } | undefined> {
  const { rows } = await sql<{ id: RunId; createdAt: Date }>`
    with page as materialized (
      select id, sync_id, created_at, ended_at from runs
       where ${after ?? null}::uuid is null or id > ${after ?? null}
       order by id limit ${limit}),
    gone as (
      delete from runs where id = any(array(
        select p.id from page p
         where p.ended_at < ${before} and (
           not exists (
             select from syncs where id = p.sync_id and deleted_at is null offset 0)
           or exists (
             select from runs later
              where later.sync_id = p.sync_id and later.created_at > p.created_at offset 0)))))
    select id, created_at from page order by id desc limit 1`.execute(db);
  return rows[0];
}

/** Removes schedules that were deleted before a time; answers how many. Of all environments. */
export async function removeDeletedSyncs(
  db: Db,
  { before, limit }: { before: Date; limit: number },
): Promise<number> {
  const { rows } = await sql`
    delete from syncs where id in (
      select id from syncs where deleted_at < ${before} and running_run_id is null limit ${limit})
    returning 1`.execute(db);
  return rows.length;
}
