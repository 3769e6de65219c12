import { sql } from "kysely";
import pg from "pg";
import { type Db, destroyConnection, hotStatement, runHot, runNamed } from "#foundation/db";

const addJob = hotStatement(
  "add_job",
  `select 1 from graphile_worker.add_job(
     $1, $2::json, run_at := $3::timestamptz, max_attempts := $4, job_key := $5, queue_name := $6)`,
);

export interface NewJob {
  readonly name: string;
  readonly payload: string;
  readonly runAt: Date | undefined;
  readonly key: string | undefined;
  readonly maxAttempts: number;
  /** Jobs of one chain are done one after the other; others in parallel. */
  readonly chain: string | undefined;
}

export async function insertJob(db: Db, job: NewJob): Promise<void> {
  const { name, payload, runAt, maxAttempts, key, chain } = job;
  const values = [name, payload, runAt ?? null, maxAttempts, key ?? null, chain ?? null];
  await runHot(db, addJob(values));
}

const addJobs = hotStatement(
  "add_jobs",
  `select 1 from graphile_worker.add_jobs(array(
     select row($1, payload, chain, null, $2, key, null, null)::graphile_worker.job_spec
       from unnest($3::json[], $4::text[], $5::text[]) as job (payload, key, chain)))`,
);

/** Jobs of one task that are due now, in their order. */
export async function insertJobs(
  db: Db,
  { name, maxAttempts }: { name: string; maxAttempts: number },
  jobs: readonly Pick<NewJob, "payload" | "key" | "chain">[],
): Promise<void> {
  const payloads = jobs.map(({ payload }) => payload);
  const keys = jobs.map(({ key }) => key ?? null);
  const chains = jobs.map(({ chain }) => chain ?? null);
  await runHot(db, addJobs([name, maxAttempts, payloads, keys, chains]));
}

const notify = hotStatement("notify", "select pg_notify($1, $2)");

export async function notifyChannel(db: Db, channel: string, payload: string): Promise<void> {
  await runHot(db, notify([channel, payload]));
}

export interface Listener extends AsyncDisposable {
  /** Settles when the connection ends; rejects when it was lost. */
  readonly ended: Promise<void>;
  /** Whether the connection answers a statement; one that does not is given up. */
  answers(): Promise<boolean>;
}

/** A connection of its own that listens on one channel. */
export async function openListener(options: {
  readonly connectionString: string;
  readonly channel: "jackfield_due";
  readonly onPayload: (payload: string | undefined) => void;
}): Promise<Listener> {
  const { connectionString, channel, onPayload } = options;
  const client = new pg.Client({
    connectionString,
    keepAlive: true,
    connectionTimeoutMillis: 5000,
    query_timeout: 5000,
    application_name: "jackfield listener",
  });
  const { promise: ended, resolve, reject } = Promise.withResolvers<void>();
  ended.catch(() => undefined);
  client.on("error", reject);
  client.on("end", resolve);
  client.on("notification", ({ payload }) => onPayload(payload));
  try {
    await client.connect();
    await client.query(`listen ${channel}`);
  } catch (error) {
    destroyConnection(client);
    throw error;
  }
  const answers = async () => {
    try {
      await client.query("select");
      return true;
    } catch (error) {
      reject(error);
      return false;
    }
  };
  return {
    ended,
    answers,
    // A goodbye would wait for an answer.
    [Symbol.asyncDispose]: async () => destroyConnection(client),
  };
}

/** Of a file system. */
export interface Room {
  readonly freeBytes: number;
  readonly totalBytes: number;
}

export async function saveHeartbeats(
  db: Db,
  pools: readonly { readonly id: string; readonly slots: number }[],
  { process, room }: { process: string; room: Room | undefined },
): Promise<void> {
  await sql`
    insert into worker_heartbeats (pool_id, process, places, seen_at, free_bytes, total_bytes)
    select id, ${process}, places, now(), ${room?.freeBytes ?? null}::bigint, ${room?.totalBytes ?? null}::bigint
      from unnest(${pools.map(({ id }) => id)}::text[], ${pools.map(({ slots }) => slots)}::int[])
           as pool (id, places)
    on conflict (pool_id) do update set
      seen_at = excluded.seen_at, free_bytes = excluded.free_bytes, total_bytes = excluded.total_bytes
  `.execute(db);
}

/** Slots of all pools that were seen within a minute. */
export async function sumSlots(db: Db): Promise<number> {
  const query = sql<{ slots: number }>`
    select coalesce(sum(places), 0)::int as slots from worker_heartbeats
     where seen_at > now() - interval '1 minute'`;
  const rows = await runNamed(db, "places_sum", query);
  return rows[0]?.slots ?? 0;
}

export async function deleteHeartbeats(db: Db, poolIds: readonly string[]): Promise<void> {
  await sql`delete from worker_heartbeats where pool_id = any(${poolIds}::text[])`.execute(db);
}

/**
 * Gives back the jobs of pools that have been silent for `silentMs`; returns these pools. A pool
 * that was never seen (killed before its first heartbeat) is judged by when it took its job.
 */
export async function releaseSilentPools(db: Db, silentMs: number): Promise<string[]> {
  const silent = sql`(now() - make_interval(secs => ${silentMs / 1000}::float8))`;
  const found = await sql<{ poolId: string }>`
    select distinct j.locked_by as pool_id
      from graphile_worker.jobs j left join worker_heartbeats h on h.pool_id = j.locked_by
     where j.locked_by is not null and coalesce(h.seen_at, j.locked_at) < ${silent}
  `.execute(db);
  const poolIds = found.rows.map((row) => row.poolId);
  await sql`delete from worker_heartbeats where seen_at < ${silent} - interval '1 hour'`.execute(
    db,
  );
  if (poolIds.length === 0) return [];
  await sql`select graphile_worker.force_unlock_workers(${poolIds}::text[])`.execute(db);
  await announceJobs(db);
  return poolIds;
}

/** Unlocking tells nobody: without this, jobs would wait for the next poll. */
async function announceJobs(db: Db): Promise<void> {
  await notifyChannel(db, "jobs:insert", JSON.stringify({ r: Math.random(), count: 100 }));
}

/**
 * Gives back jobs that a living pool has locked for `lostAfterMs` and does not hold: the answer to the statement that
 * fetched them never came. Returns their ids.
 */
export async function releaseLostJobs(
  db: Db,
  pool: {
    readonly poolId: string;
    readonly heldJobIds: readonly string[];
    readonly lostAfterMs: number;
  },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with lost as (
      update graphile_worker._private_jobs
         set locked_by = null, locked_at = null, run_at = greatest(run_at, now())
       where locked_by = ${pool.poolId}
         and locked_at < now() - make_interval(secs => ${pool.lostAfterMs / 1000}::float8)
         and id <> all(${pool.heldJobIds}::bigint[])
      returning id, job_queue_id
    ), chains as (
      update graphile_worker._private_job_queues set locked_by = null, locked_at = null
       where locked_by = ${pool.poolId} and id in (select job_queue_id from lost)
    )
    select id::text as id from lost`.execute(db);
  if (rows.length > 0) await announceJobs(db);
  return rows.map(({ id }) => id);
}

/** Jobs of these tasks that have been due for `overdueMs`, unlocked; at most 100 are counted. */
export async function countOverdueJobs(
  db: Db,
  taskNames: readonly string[],
  overdueMs: number,
): Promise<number> {
  const { rows } = await sql<{ overdue: number }>`
    select count(*)::int as overdue from (
      select 1 from graphile_worker._private_jobs j
        join graphile_worker._private_tasks t on t.id = j.task_id
        left join graphile_worker._private_job_queues q on q.id = j.job_queue_id
       where j.is_available and q.is_available is not false and t.identifier = any(${taskNames}::text[])
         and j.run_at < now() - make_interval(secs => ${overdueMs / 1000}::float8)
       limit 100
    ) as found`.execute(db);
  return rows[0]?.overdue ?? 0;
}

/** Jobs that failed for good are kept for a week, to be looked at. */
export async function deleteFailedJobs(db: Db): Promise<void> {
  await sql`
    delete from graphile_worker._private_jobs
     where attempts >= max_attempts and locked_at is null and updated_at < now() - interval '7 days'
  `.execute(db);
}

/** Held until the transaction ends; false while another process holds it. */
export async function tryHandOutLock(db: Db, name: string): Promise<boolean> {
  const query = sql<{ got: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended(${`hand out ${name}`}, 0)) as got`;
  const rows = await runNamed(db, "hand_out_lock", query);
  return rows[0]?.got ?? false;
}

/** Of these keys, those under which no job waits or runs. */
export async function findUnqueued(db: Db, keys: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ key: string }>`
    select k.key from unnest(${keys}::text[]) as k (key)
     where not exists (
       select 1 from graphile_worker.jobs j
        where j.key = k.key and (j.attempts < j.max_attempts or j.locked_at is not null))`.execute(
    db,
  );
  return rows.map(({ key }) => key);
}

export interface WorkerProcess {
  readonly process: string;
  readonly pools: number;
  readonly slots: number;
  readonly seenAt: Date;
  readonly isAlive: boolean;
}

/** Processes with pools that were seen within an hour; silent ones count as dead when others take their jobs. */
export async function listWorkers(db: Db): Promise<WorkerProcess[]> {
  const { rows } = await sql<WorkerProcess>`
    select process, count(*)::int as pools, sum(places)::int as slots, max(seen_at) as seen_at,
           max(seen_at) > now() - interval '20 seconds' as is_alive
      from worker_heartbeats where seen_at > now() - interval '1 hour'
     group by process order by process`.execute(db);
  return rows;
}
