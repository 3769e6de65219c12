import { sql } from "kysely";
import type { EnvironmentId, KeysetPosition } from "#foundation";
import type { Db } from "#foundation/db";
import type { BulkItem, BulkJob, ItemError } from "./job.ts";

const columns = sql.raw(
  `j.id, j.action, j.tags, j.actor, j.matched, j.created_at as "createdAt",
   j.stopped_at as "stoppedAt", j.ended_at as "endedAt",
   (select count(*) from bulk_items i where i.job_id = j.id and i.state = 'failed')::int as failed,
   j.matched - (select count(*) from bulk_items i where i.job_id = j.id and i.state <> 'done')::int as done`,
);

export async function insertBulkJob(
  db: Db,
  environmentId: EnvironmentId,
  job: Pick<BulkJob, "id" | "action" | "tags" | "actor" | "createdAt"> & {
    readonly targets: readonly string[];
  },
): Promise<void> {
  await sql`
    insert into bulk_jobs (id, environment_id, action, tags, actor, matched, created_at)
    values (${job.id}, ${environmentId}, ${job.action}, ${job.tags === null ? null : JSON.stringify(job.tags)},
            ${JSON.stringify(job.actor)}, ${job.targets.length}, ${job.createdAt})`.execute(db);
  await sql`
    insert into bulk_items (job_id, position, target)
    select ${job.id}::uuid, position, target
      from unnest(${job.targets}::uuid[]) with ordinality as t (target, position)`.execute(db);
}

export async function findBulkJob(
  db: Db,
  environmentId: EnvironmentId,
  id: string,
): Promise<BulkJob | undefined> {
  const { rows } = await sql<BulkJob>`
    select ${columns} from bulk_jobs j where j.environment_id = ${environmentId} and j.id = ${id}`.execute(
    db.withoutPlugins(),
  );
  return rows[0];
}

/** Newest first. */
export async function listBulkJobs(
  db: Db,
  environmentId: EnvironmentId,
  { after, limit }: { after: KeysetPosition | undefined; limit: number },
): Promise<BulkJob[]> {
  const start =
    after === undefined ? sql`true` : sql`(j.created_at, j.id) < (${after.createdAt}, ${after.id})`;
  const { rows } = await sql<BulkJob>`
    select ${columns} from bulk_jobs j where j.environment_id = ${environmentId} and ${start}
     order by j.created_at desc, j.id desc limit ${limit}`.execute(db.withoutPlugins());
  return rows;
}

/** False when it has ended before. */
export async function stopRow(
  db: Db,
  environmentId: EnvironmentId,
  { id, now }: { id: string; now: Date },
): Promise<void> {
  await sql`
    update bulk_jobs set stopped_at = ${now}, ended_at = ${now}
     where environment_id = ${environmentId} and id = ${id} and ended_at is null`.execute(db);
}

export async function listWaitingItems(db: Db, jobId: string, limit: number): Promise<BulkItem[]> {
  const { rows } = await sql<BulkItem>`
    select position, target from bulk_items where job_id = ${jobId} and state = 'waiting'
     order by position limit ${limit}`.execute(db);
  return rows;
}

export async function noteItem(
  db: Db,
  jobId: string,
  { position, error }: { position: number; error: ItemError | undefined },
): Promise<void> {
  await sql`
    update bulk_items
       set state = ${error === undefined ? "done" : "failed"},
           error = ${error === undefined ? null : JSON.stringify(error)}
     where job_id = ${jobId} and position = ${position}`.execute(db);
}

export async function endRow(db: Db, { id, now }: { id: string; now: Date }): Promise<void> {
  await sql`update bulk_jobs set ended_at = ${now} where id = ${id} and ended_at is null`.execute(
    db,
  );
}

export interface Failure extends ItemError {
  readonly connectionId: string | null;
  readonly sync: string | null;
}

export async function listFailures(
  db: Db,
  environmentId: EnvironmentId,
  { jobId, limit }: { jobId: string; limit: number },
): Promise<Failure[]> {
  const { rows } = await sql<Failure>`
    select i.error ->> 'code' as code, i.error ->> 'message' as message, c.connection_id, s.name as sync
      from bulk_items i
      left join syncs s on s.id = i.target and s.environment_id = ${environmentId}
      left join connections c on c.uuid = coalesce(s.connection_uuid, i.target)
                             and c.environment_id = ${environmentId}
     where i.job_id = ${jobId} and i.state = 'failed'
     order by i.position limit ${limit}`.execute(db);
  return rows;
}

/** Jobs of every environment that have not ended. */
export async function listOpenJobs(
  db: Db,
): Promise<{ readonly id: string; readonly environmentId: EnvironmentId }[]> {
  const { rows } = await sql<{ id: string; environmentId: EnvironmentId }>`
    select id, environment_id from bulk_jobs where ended_at is null`.execute(db);
  return rows;
}

export async function deleteJobsBefore(db: Db, time: Date): Promise<void> {
  await sql`delete from bulk_jobs where ended_at < ${time}`.execute(db);
}
