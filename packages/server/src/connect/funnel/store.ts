import { sql } from "kysely";
import type { EnvironmentId } from "#foundation";
import type { Db } from "#foundation/db";
import type { FunnelStep, StepCount } from "./step.ts";

export interface Step {
  readonly step: FunnelStep;
  readonly integrationId: number;
}

/** Resolves to those steps that the session had not reached before. */
export async function insertSteps(
  db: Db,
  environmentId: EnvironmentId,
  { sessionId, steps }: { readonly sessionId: string; readonly steps: readonly Step[] },
): Promise<Step[]> {
  const { rows } = await sql<Step>`
    insert into connect_session_steps (session_id, environment_id, integration_id, step)
    select s.id, s.environment_id, n."integrationId", n.step
      from json_to_recordset(${JSON.stringify(steps)}::json) as n ("integrationId" bigint, step text)
      join connect_sessions s on s.id = ${sessionId} and s.environment_id = ${environmentId}
     order by n."integrationId", n.step
    on conflict do nothing
    returning step, integration_id::float8 as "integrationId"`.execute(db.withoutPlugins());
  return rows;
}

/** Until the caller's transaction ends. */
export async function lockSession(db: Db, environmentId: EnvironmentId, id: string): Promise<void> {
  await sql`
    select from connect_sessions where environment_id = ${environmentId} and id = ${id}
      for no key update`.execute(db);
}

interface Ended {
  readonly sessionId: string;
  readonly integrationId: number;
}

/** The reason is that of a failure before, which is taken back. */
export async function completeSteps(
  db: Db,
  environmentId: EnvironmentId,
  { sessionId, integrationId }: Ended,
): Promise<{ isNew: boolean; reason: string | undefined }> {
  const failed = await sql<{ reason: string }>`
    delete from connect_session_steps
     where session_id = ${sessionId} and environment_id = ${environmentId}
       and integration_id = ${integrationId} and step = 'failed'
    returning reason`.execute(db);
  const done = await insertSteps(db, environmentId, {
    sessionId,
    steps: [{ step: "completed", integrationId }],
  });
  return { isNew: done.length > 0, reason: failed.rows[0]?.reason };
}

/** False where the session has failed or made its connection before. */
export async function failSteps(
  db: Db,
  environmentId: EnvironmentId,
  { sessionId, integrationId, reason }: Ended & { readonly reason: string },
): Promise<boolean> {
  const { rows } = await sql`
    insert into connect_session_steps (session_id, environment_id, integration_id, step, reason)
    select id, environment_id, ${integrationId}::bigint, 'failed', ${reason} from connect_sessions
     where id = ${sessionId} and environment_id = ${environmentId}
       and not exists (select from connect_session_steps
                        where session_id = ${sessionId} and integration_id = ${integrationId}
                          and step = 'completed')
    on conflict do nothing
    returning step`.execute(db);
  return rows.length > 0;
}

/** Adds to what the days have; those of environments that are gone are dropped. */
export async function addStepCounts(db: Db, counts: readonly StepCount[]): Promise<void> {
  // In one order everywhere, so that two processes never wait for each other.
  await sql`
    insert into connect_funnel as known (environment_id, day, integration_id, step, reason, count)
    select e.id, n.day, n."integrationId", n.step, n.reason, n.count
      from json_to_recordset(${JSON.stringify(counts)}::json)
           as n ("environmentId" uuid, day date, "integrationId" bigint, step text, reason text, count bigint)
      join environments e on e.id = n."environmentId"
     order by e.id, n.day, n."integrationId", n.step, n.reason
    on conflict (environment_id, day, integration_id, step, reason) do update
       set count = known.count + excluded.count`.execute(db);
}

export interface StepSum extends Omit<StepCount, "environmentId" | "day"> {
  /** Null for sessions that any integration was open to, and where the integration was deleted. */
  readonly integrationKey: string | null;
}

/** Counts of the days, summed up. */
export async function sumSteps(
  db: Db,
  environmentId: EnvironmentId,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<StepSum[]> {
  const { rows } = await sql<StepSum>`
    select f.integration_id::float8 as "integrationId", i.unique_key as "integrationKey", f.step, f.reason,
           sum(f.count)::float8 as count
      from connect_funnel f
      left join integrations i on i.id = f.integration_id and i.deleted_at is null
     where f.environment_id = ${environmentId} and f.day between ${from}::date and ${to}::date
     group by f.integration_id, i.unique_key, f.step, f.reason
    having sum(f.count) > 0
     order by i.unique_key, f.step, sum(f.count) desc, f.reason`.execute(db.withoutPlugins());
  return rows;
}

export async function deleteStepCountsBefore(db: Db, day: string): Promise<void> {
  await sql`delete from connect_funnel where day < ${day}::date`.execute(db);
}
