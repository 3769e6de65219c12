import { sql } from "kysely";
import type { EnvironmentId } from "#foundation";
import type { Db } from "#foundation/db";
import type { Job, JobKind, JobStatus } from "./job.ts";

const columns = sql.raw(
  `id, kind, status, integration_key as "integrationKey", function_name as "functionName",
   function_type as "functionType", actor, request, outcome, progress, created_at as "createdAt",
   updated_at as "updatedAt", started_at as "startedAt", completed_at as "completedAt"`,
);

export async function insertJob(
  db: Db,
  environmentId: EnvironmentId,
  job: Omit<Job, "status" | "outcome" | "progress" | "updatedAt" | "startedAt" | "completedAt">,
): Promise<void> {
  await sql`
    insert into function_jobs (id, environment_id, kind, status, integration_key, function_name, function_type,
      actor, request, created_at, updated_at)
    values (${job.id}, ${environmentId}, ${job.kind}, 'waiting', ${job.integrationKey}, ${job.functionName},
      ${job.functionType}, ${JSON.stringify(job.actor)}, ${job.request}, ${job.createdAt}, ${job.createdAt})
  `.execute(db);
}

export async function findJob(
  db: Db,
  environmentId: EnvironmentId,
  { id, kind }: { id: string; kind?: JobKind },
): Promise<Job | undefined> {
  const { rows } = await sql<Job>`
    select ${columns} from function_jobs
     where environment_id = ${environmentId} and id = ${id}
       and (${kind ?? null}::text is null or kind = ${kind ?? null})`.execute(db.withoutPlugins());
  return rows[0];
}

export async function listJobs(
  db: Db,
  environmentId: EnvironmentId,
  { kind, limit, offset }: { kind: JobKind; limit: number; offset: number },
): Promise<Job[]> {
  const { rows } = await sql<Job>`
    select ${columns} from function_jobs
     where environment_id = ${environmentId} and kind = ${kind}
     order by created_at desc, id desc limit ${limit} offset ${offset}`.execute(
    db.withoutPlugins(),
  );
  return rows;
}

/** Takes a waiting job; undefined for one that somebody has begun or ended. */
export async function startJob(
  db: Db,
  environmentId: EnvironmentId,
  { id, now }: { id: string; now: Date },
): Promise<Job | undefined> {
  const { rows } = await sql<Job>`
    update function_jobs set status = 'running', started_at = ${now}, updated_at = ${now}
     where environment_id = ${environmentId} and id = ${id} and status = 'waiting'
    returning ${columns}`.execute(db.withoutPlugins());
  return rows[0];
}

/** Replaces what a job that runs has printed so far. */
export async function updateProgress(
  db: Db,
  environmentId: EnvironmentId,
  { id, progress }: { id: string; progress: Buffer },
): Promise<void> {
  await sql`
    update function_jobs set progress = ${progress}
     where environment_id = ${environmentId} and id = ${id} and status = 'running'`.execute(db);
}

/** Ends a job once; what was sent is dropped, and what was printed is in the outcome. */
export async function endJob(
  db: Db,
  environmentId: EnvironmentId,
  end: { id: string; status: Extract<JobStatus, "success" | "failed">; outcome: Buffer; now: Date },
): Promise<void> {
  const { id, status, outcome, now } = end;
  await sql`
    update function_jobs
       set status = ${status}, outcome = ${outcome}, request = null, progress = null, completed_at = ${now}, updated_at = ${now}
     where environment_id = ${environmentId} and id = ${id} and status in ('waiting', 'running')
  `.execute(db);
}

/** Of every environment. */
export async function deleteJobsBefore(db: Db, time: Date): Promise<void> {
  await sql`delete from function_jobs where created_at < ${time}`.execute(db);
}
