import { sql } from "kysely";
import type { EnvironmentId } from "#foundation";
import type { Db } from "#foundation/db";
import { LEASE_MS, MOST_KEPT, MOST_OPEN, type Script, type TapedCall } from "./script.ts";

// Leases go by the database's clock: those of the processes differ.
const now = sql.raw("clock_timestamp()");
const lease = sql.raw(`clock_timestamp() + interval '${LEASE_MS} milliseconds'`);

interface NewScript {
  readonly id: string;
  readonly sessionId: string;
  readonly digest: Buffer;
  /** Sealed. */
  readonly code: Buffer;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/**
 * Begins a script; `exists` where an equal one runs or waits, `full` where the session has as many open as it may. Of
 * those that have ended only the newest stay.
 */
export async function insertScript(
  db: Db,
  environmentId: EnvironmentId,
  row: NewScript,
): Promise<"begun" | "exists" | "full"> {
  const { rows } = await sql<{ open: number; inserted: number }>`
    with gone as (
      delete from agent_scripts where environment_id = ${environmentId} and session_id = ${row.sessionId}
         and (expires_at < ${row.createdAt} or (state = 'ended' and id in (
           select id from agent_scripts where session_id = ${row.sessionId} and state = 'ended'
            order by created_at desc offset ${MOST_KEPT})))
    ), held as (
      select count(*)::int as open from agent_scripts
       where session_id = ${row.sessionId} and state <> 'ended' and expires_at >= ${row.createdAt}
    ), begun as (
      insert into agent_scripts (id, environment_id, session_id, digest, code, state, lease_until, created_at, expires_at)
      select ${row.id}::uuid, ${environmentId}::uuid, s.id, ${row.digest}::bytea, ${row.code}::bytea, 'running', ${lease},
             ${row.createdAt}::timestamptz, ${row.expiresAt}::timestamptz
        from agent_sessions s, held
       where s.environment_id = ${environmentId} and s.id = ${row.sessionId} and held.open < ${MOST_OPEN}
      on conflict (digest, session_id) where state in ('running', 'waiting') do nothing
      returning 1)
    select held.open, (select count(*)::int from begun) as inserted from held`.execute(db);
  const [found = { open: 0, inserted: 0 }] = rows;
  if (found.inserted === 1) return "begun";
  return found.open >= MOST_OPEN ? "full" : "exists";
}

export interface FoundScript {
  readonly id: string;
  readonly state: "running" | "waiting" | "ended";
  readonly attempt: number;
  /** Whether an attempt lives. */
  readonly isLeased: boolean;
  readonly code: Buffer;
  readonly answer: Buffer | null;
  readonly createdAt: Date;
}

/** By its id, or an open one by its digest. */
export async function findScript(
  db: Db,
  environmentId: EnvironmentId,
  which: { readonly sessionId: string; readonly at: Date } & (
    | { readonly id: string }
    | { readonly digest: Buffer }
  ),
): Promise<FoundScript | undefined> {
  const isIt =
    "id" in which
      ? sql`id = ${which.id}`
      : sql`digest = ${which.digest} and state in ('running', 'waiting')`;
  const { rows } = await sql<FoundScript>`
    select id, state, attempt, state = 'running' and lease_until > ${now} as is_leased, code, answer, created_at
      from agent_scripts
     where environment_id = ${environmentId} and session_id = ${which.sessionId} and ${isIt}
       and expires_at >= ${which.at}`.execute(db);
  return rows[0];
}

/** Takes over a script that no living attempt runs; the number of the new attempt. */
export async function takeOver(
  db: Db,
  environmentId: EnvironmentId,
  { id, attempt, expiresAt }: { id: string; attempt: number; expiresAt: Date },
): Promise<number | undefined> {
  const { rows } = await sql<{ attempt: number }>`
    update agent_scripts set attempt = attempt + 1, state = 'running', lease_until = ${lease}, expires_at = ${expiresAt}
     where environment_id = ${environmentId} and id = ${id} and attempt = ${attempt}
       and (state = 'waiting' or (state = 'running' and lease_until <= ${now}))
    returning attempt`.execute(db);
  return rows[0]?.attempt;
}

/** False once another attempt runs it, or its session has ended. */
export async function extendLease(
  db: Db,
  environmentId: EnvironmentId,
  { id, attempt }: Pick<Script, "id" | "attempt">,
  at: Date,
): Promise<boolean> {
  const result = await sql`
    update agent_scripts a set lease_until = ${lease}
      from agent_sessions s
     where a.environment_id = ${environmentId} and a.id = ${id} and a.attempt = ${attempt} and a.state = 'running'
       and s.id = a.session_id and s.ended_at is null and s.expires_at > ${at}`.execute(db);
  return result.numAffectedRows === 1n;
}

/** How an attempt ends; `ended` takes the tape with it, `interrupted` may be taken over at once. */
export type AttemptEnd =
  | { readonly kind: "interrupted" | "waiting" }
  | { readonly kind: "ended"; readonly answer: Buffer };

export async function endAttempt(
  db: Db,
  environmentId: EnvironmentId,
  { id, attempt }: Pick<Script, "id" | "attempt">,
  end: AttemptEnd,
): Promise<void> {
  const state = end.kind === "interrupted" ? "running" : end.kind;
  const answer = end.kind === "ended" ? end.answer : null;
  await sql`
    with over as (
      update agent_scripts set state = ${state}, lease_until = ${now}, answer = ${answer}::bytea
       where environment_id = ${environmentId} and id = ${id} and attempt = ${attempt}
      returning id, state)
    delete from agent_script_calls c using over where c.script_id = over.id and over.state = 'ended'`.execute(
    db,
  );
}

/** Of a script that has not begun. */
export async function deleteScript(
  db: Db,
  environmentId: EnvironmentId,
  id: string,
): Promise<void> {
  await sql`delete from agent_scripts where environment_id = ${environmentId} and id = ${id}`.execute(
    db,
  );
}

export async function readTape(
  db: Db,
  environmentId: EnvironmentId,
  id: string,
): Promise<TapedCall[]> {
  const { rows } = await sql<{
    position: number;
    digest: Buffer;
    hasChanged: boolean;
    answered: number | null;
    answeredAt: Date | null;
    answer: Buffer | null;
  }>`
    select position::int as position, digest, has_changed, answered, answered_at, answer from agent_script_calls
     where environment_id = ${environmentId} and script_id = ${id} order by position`.execute(db);
  return rows.map(({ position, digest, hasChanged, answered, answeredAt, answer }) => ({
    ...{ position, digest, hasChanged },
    answer:
      answered === null || answeredAt === null || answer === null
        ? undefined
        : { order: answered, at: answeredAt, sealed: answer },
  }));
}

type Attempt = Pick<Script, "id" | "attempt">;

/** Notes a call that is about to be made; false once another attempt runs the script. */
export async function beginCall(
  db: Db,
  environmentId: EnvironmentId,
  { id, attempt }: Attempt,
  { position, digest }: Pick<TapedCall, "position" | "digest">,
): Promise<boolean> {
  const result = await sql`
    insert into agent_script_calls (script_id, position, environment_id, digest)
    select a.id, ${position}::int, a.environment_id, ${digest}::bytea from agent_scripts a
     where a.environment_id = ${environmentId} and a.id = ${id} and a.attempt = ${attempt} and a.state = 'running'
       for share
    on conflict (script_id, position) do update set digest = excluded.digest`.execute(db);
  return result.numAffectedRows === 1n;
}

/** Notes that a call is about to change something; false once another attempt runs the script. */
export async function noteChange(
  db: Db,
  environmentId: EnvironmentId,
  { id, attempt }: Attempt,
  position: number,
): Promise<boolean> {
  const result = await sql`
    update agent_script_calls c set has_changed = true from agent_scripts a
     where c.environment_id = ${environmentId} and c.script_id = ${id} and c.position = ${position}
       and a.id = c.script_id and a.attempt = ${attempt} and a.state = 'running'`.execute(db);
  return result.numAffectedRows === 1n;
}

/** Puts an answer on the tape: `full` where it has no room, `lost` once another attempt runs the script. */
export async function tapeAnswer(
  db: Db,
  environmentId: EnvironmentId,
  { id, attempt }: Attempt,
  answer: {
    readonly position: number;
    readonly order: number;
    readonly at: Date;
    readonly sealed: Buffer;
    readonly room: number;
  },
): Promise<"taped" | "full" | "lost"> {
  const { position, order, at, sealed, room } = answer;
  const { rows } = await sql<{ bytes: number; taped: number }>`
    with script as (
      select id, tape_bytes from agent_scripts
       where environment_id = ${environmentId} and id = ${id} and attempt = ${attempt} and state = 'running' for update
    ), counted as (
      update agent_scripts a set tape_bytes = a.tape_bytes + ${sealed.length}::int, lease_until = ${lease} from script
       where a.id = script.id and script.tape_bytes + ${sealed.length}::int <= ${room}::int returning a.id
    ), taped as (
      update agent_script_calls c set answered = ${order}::int, answered_at = ${at}::timestamptz, answer = ${sealed}::bytea
        from counted where c.script_id = counted.id and c.position = ${position}::int returning 1)
    select script.tape_bytes as bytes, (select count(*)::int from taped) as taped from script`.execute(
    db,
  );
  const [found] = rows;
  if (found === undefined) return "lost";
  return found.taped === 1 ? "taped" : "full";
}

export async function deleteScriptsBefore(db: Db, time: Date): Promise<void> {
  await sql`delete from agent_scripts where expires_at < ${time}`.execute(db);
}
