import { sql } from "kysely";
import type { EnvironmentId } from "#foundation";
import type { Db } from "#foundation/db";
import { RUN_MS, type Script } from "../script.ts";

/**
 * Takes the time of one run from the session's budget, at most what is left of it, and puts it down to the script; of
 * runs in all processes no more time is taken than there is. Undefined where nothing is left, or the session has ended.
 */
export async function takeCodeTime(
  db: Db,
  environmentId: EnvironmentId,
  { id, sessionId, attempt }: Pick<Script, "id" | "sessionId" | "attempt">,
  at: Date,
): Promise<number | undefined> {
  const { rows } = await sql<{ takenMs: number }>`
    with session as (
      select id, least(${RUN_MS}::int, coalesce(max_code_seconds * 1000::bigint - code_ms, ${RUN_MS}))::int as taken_ms
        from agent_sessions
       where environment_id = ${environmentId} and id = ${sessionId} and ended_at is null and expires_at > ${at}
         for update
    ), taken as (
      update agent_sessions s set code_ms = s.code_ms + session.taken_ms from session
       where s.id = session.id and session.taken_ms > 0 returning session.taken_ms
    ), noted as (
      update agent_scripts set reserved_ms = taken.taken_ms from taken
       where id = ${id} and attempt = ${attempt} returning taken.taken_ms)
    select taken_ms from noted`.execute(db);
  return rows[0]?.takenMs;
}

/** Gives back what an attempt has not used; nothing where it has been given back. */
export async function giveBackCodeTime(
  db: Db,
  environmentId: EnvironmentId,
  { id, sessionId }: Pick<Script, "id" | "sessionId">,
  usedMs: number,
): Promise<void> {
  await sql`
    with script as (
      select id, reserved_ms from agent_scripts
       where environment_id = ${environmentId} and id = ${id} and reserved_ms > 0 for update
    ), free as (
      update agent_scripts a set reserved_ms = 0 from script where a.id = script.id returning script.reserved_ms)
    update agent_sessions s set code_ms = s.code_ms - greatest(0, free.reserved_ms - ${usedMs}::int) from free
     where s.environment_id = ${environmentId} and s.id = ${sessionId}`.execute(db);
}
