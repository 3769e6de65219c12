import { sql } from "kysely";
import type { EnvironmentId } from "#foundation";
import type { Db } from "#foundation/db";

export interface NewDeferredCall {
  readonly id: string;
  readonly sessionId: string;
  readonly state: "waiting" | "running";
  readonly approvalId: string | undefined;
  /** Sealed. */
  readonly call: Buffer;
  readonly asked: Buffer | undefined;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

export interface DeferredRow {
  readonly id: string;
  readonly state: "waiting" | "asking" | "running" | "ended" | "cancelled";
  readonly attempt: number;
  /** Whether a process says that it works on it. */
  readonly isLeased: boolean;
  readonly call: Buffer;
  readonly asked: Buffer | null;
  readonly result: Buffer | null;
  /** Undefined without an approval; `gone` where it has been deleted. */
  readonly approval: "waiting" | "approved" | "denied" | "used" | "expired" | "gone" | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly expiresAt: Date;
}

interface Room {
  readonly mostOpen: number;
  readonly mostKept: number;
  readonly leaseMs: number;
}

const isOpen = sql.raw("state in ('waiting', 'asking', 'running')");
const until = (leaseMs: number) => sql`(now() + ${leaseMs} * interval '1 ms')`;

/** False where the session has as many as it may; of those that have ended the oldest make room. */
export async function insertDeferred(
  db: Db,
  environmentId: EnvironmentId,
  { mostOpen, mostKept, leaseMs, ...row }: NewDeferredCall & Room,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    with session as materialized (
      select id from agent_sessions
       where environment_id = ${environmentId} and id = ${row.sessionId} and ended_at is null for update
    ), surplus as (
      delete from agent_deferred_calls where id in (
        select c.id from agent_deferred_calls c join session s on s.id = c.session_id
         where not ${isOpen} order by c.created_at desc offset ${mostKept})
    )
    insert into agent_deferred_calls
      (id, environment_id, session_id, state, approval_id, attempt, lease_until, call, asked, created_at, updated_at,
       expires_at)
    select ${row.id}::uuid, ${environmentId}::uuid, s.id, ${row.state}::text, ${row.approvalId ?? null}::uuid,
           ${row.state === "running" ? 1 : 0}::int, ${row.state === "running" ? until(leaseMs) : null}::timestamptz,
           ${row.call}::bytea, ${row.asked ?? null}::bytea, ${row.createdAt}::timestamptz,
           ${row.createdAt}::timestamptz, ${row.expiresAt}::timestamptz
      from session s
     where (select count(*) from agent_deferred_calls where session_id = s.id and ${isOpen}
              and expires_at > ${row.createdAt}) < ${mostOpen}::int`.execute(db);
  return numAffectedRows === 1n;
}

interface Wanted {
  readonly id: string;
  readonly sessionId: string;
  readonly now: Date;
}

export async function findDeferred(
  db: Db,
  environmentId: EnvironmentId,
  { id, sessionId, now }: Wanted,
): Promise<DeferredRow | undefined> {
  const { rows } = await sql<DeferredRow>`
    select d.id, d.state, d.attempt, coalesce(d.lease_until > now(), false) as is_leased, d.call, d.asked, d.result,
           case when d.approval_id is null then null when a.id is null then 'gone'
                when a.state in ('waiting', 'approved') and a.expires_at <= ${now} then 'expired'
                else a.state end as approval,
           d.created_at, d.updated_at, d.expires_at
      from agent_deferred_calls d left join agent_approvals a on a.id = d.approval_id
     where d.environment_id = ${environmentId} and d.id = ${id} and d.session_id = ${sessionId}
       and d.expires_at > ${now}`.execute(db);
  return rows[0];
}

/** Of calls at once only one gets it. Resolves to the new attempt. */
export async function claimDeferred(
  db: Db,
  environmentId: EnvironmentId,
  { id, attempt, now, leaseMs, call }: Fence & { now: Date; leaseMs: number; call?: Buffer },
): Promise<number | undefined> {
  const { rows } = await sql<{ attempt: number }>`
    update agent_deferred_calls
       set state = 'running', attempt = attempt + 1, lease_until = ${until(leaseMs)}, asked = null, updated_at = ${now},
           call = coalesce(${call ?? null}::bytea, call)
     where environment_id = ${environmentId} and id = ${id} and attempt = ${attempt} and ${isOpen}
       and coalesce(lease_until <= now(), true)
    returning attempt`.execute(db);
  return rows[0]?.attempt;
}

interface Fence {
  readonly id: string;
  readonly attempt: number;
}

/** False where the attempt is to end: its client has cancelled it, its session has ended, or another process has it. */
export async function extendDeferred(
  db: Db,
  environmentId: EnvironmentId,
  { id, attempt, leaseMs }: Fence & { leaseMs: number },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update agent_deferred_calls set lease_until = ${until(leaseMs)}
     where environment_id = ${environmentId} and id = ${id} and attempt = ${attempt} and state = 'running'
       and not is_cancelled`.execute(db);
  return numAffectedRows === 1n;
}

export type DeferredEnd =
  | { readonly state: "ended"; readonly result: Buffer }
  | { readonly state: "cancelled" }
  | { readonly state: "asking"; readonly asked: Buffer; readonly call: Buffer };

/** False where another attempt, or somebody who cancelled it, was faster. */
export async function endDeferred(
  db: Db,
  environmentId: EnvironmentId,
  { id, attempt, now, ...end }: Fence & { now: Date } & DeferredEnd,
): Promise<boolean> {
  const asked = end.state === "asking" ? end.asked : null;
  const call = end.state === "asking" ? end.call : null;
  const result = end.state === "ended" ? end.result : null;
  const { numAffectedRows } = await sql`
    update agent_deferred_calls
       set state = ${end.state}, asked = ${asked}, result = ${result}, lease_until = null, updated_at = ${now},
           call = coalesce(${call}::bytea, call)
     where environment_id = ${environmentId} and id = ${id} and attempt = ${attempt} and ${isOpen}`.execute(
    db,
  );
  return numAffectedRows === 1n;
}

/** Notes what the client's user has answered so far. */
export async function noteAnswers(
  db: Db,
  environmentId: EnvironmentId,
  { id, attempt, now, call, asked }: Fence & { now: Date; call: Buffer; asked: Buffer | null },
): Promise<void> {
  await sql`
    update agent_deferred_calls set call = ${call}, asked = ${asked}, updated_at = ${now}
     where environment_id = ${environmentId} and id = ${id} and attempt = ${attempt}
       and state in ('waiting', 'asking')`.execute(db);
}

/** Ends what waits, with its approval: what has not been decided, or not been done, is not done later. */
export async function cancelDeferred(
  db: Db,
  environmentId: EnvironmentId,
  { id, sessionId, now }: Wanted,
): Promise<void> {
  await sql`
    with cancelled as (
      update agent_deferred_calls
         set is_cancelled = true, updated_at = ${now}, asked = case when state = 'running' then asked end,
             state = case when state = 'running' then state else 'cancelled' end
       where environment_id = ${environmentId} and id = ${id} and session_id = ${sessionId} and ${isOpen}
      returning approval_id
    )
    update agent_approvals a set expires_at = ${now} from cancelled c
     where a.id = c.approval_id and a.state in ('waiting', 'approved') and a.expires_at > ${now}`.execute(
    db,
  );
}

export async function deleteDeferredBefore(db: Db, time: Date): Promise<void> {
  await sql`delete from agent_deferred_calls where expires_at < ${time}`.execute(db);
}
