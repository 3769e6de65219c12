import { sql } from "kysely";
import type { EnvironmentId, KeysetPosition } from "#foundation";
import { type Db, runNamed } from "#foundation/db";
import type { Approver, Effect } from "../toolsets/toolset.ts";
import type { Approval, ApprovalState } from "./approval.ts";

/** A call as approvals know it. */
export interface ApprovedCall {
  readonly sessionId: string;
  readonly tool: string;
  readonly connectionId: string;
  readonly callDigest: Buffer;
}

export interface FoundApproval {
  readonly id: string;
  readonly state: ApprovalState;
  readonly reason: string | null;
  /** It covers later calls of the tool for the account, with any arguments. */
  readonly coversAll: boolean;
  readonly approver: Approver;
}

/** What has been decided about the call, or waits: one that covers it first, where one may, else the newest about it. */
export async function findApproval(
  db: Db,
  environmentId: EnvironmentId,
  call: ApprovedCall & { now: Date; mayCover: boolean },
): Promise<FoundApproval | undefined> {
  return (await readApprovals(db, environmentId, call)).found;
}

/** The same, with how many of the session wait for a person: one question, since most calls need both. */
export async function readApprovals(
  db: Db,
  environmentId: EnvironmentId,
  call: ApprovedCall & { now: Date; mayCover: boolean },
): Promise<{ readonly found: FoundApproval | undefined; readonly waiting: number }> {
  const { sessionId, tool, connectionId, callDigest, now, mayCover } = call;
  const covers = sql`${mayCover}::boolean and scope = 'session' and state in ('approved', 'used') and tool = ${tool}::text
    and connection_id = ${connectionId}::text and effect = 'write'`;
  const query = sql<{ waiting: number } & (FoundApproval | { id: null })>`
    with own as materialized (
      select id, state, reason, approver, (${covers}) is true as covers_all, call_digest, expires_at, created_at
        from agent_approvals
       where environment_id = ${environmentId}::uuid and session_id = ${sessionId}::uuid
    ), found as (
      select id, state, reason, approver, covers_all from own
       where covers_all
          or call_digest = ${callDigest}::bytea and expires_at > ${now}::timestamptz and state <> 'used'
       order by covers_all desc, created_at desc limit 1
    )
    select waiting, found.*
      from (select count(*)::int as waiting from own where state = 'waiting' and expires_at > ${now}::timestamptz) w
      left join found on true`;
  const [row] = await runNamed<{ waiting: number } & (FoundApproval | { id: null })>(
    db,
    "read_agent_approvals",
    query,
  );
  if (row === undefined) return { found: undefined, waiting: 0 };
  const { waiting, ...found } = row;
  return { found: found.id === null ? undefined : found, waiting };
}

export interface NewApproval extends ApprovedCall {
  readonly id: string;
  readonly integration: string;
  readonly effect: Effect;
  readonly approver: Approver;
  readonly changeDigest: Buffer;
  readonly shown: Buffer;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/** The id of what now waits for the call: another process may have been faster. One that expired makes room. */
export async function insertApproval(
  db: Db,
  environmentId: EnvironmentId,
  row: NewApproval,
): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    insert into agent_approvals
      (id, environment_id, session_id, tool, integration, connection_id, effect, call_digest, change_digest, shown,
       approver, created_at, expires_at)
    values (${row.id}, ${environmentId}, ${row.sessionId}, ${row.tool}, ${row.integration}, ${row.connectionId},
            ${row.effect}, ${row.callDigest}, ${row.changeDigest}, ${row.shown}, ${row.approver}, ${row.createdAt},
            ${row.expiresAt})
    on conflict (call_digest, session_id) where state in ('waiting', 'approved')
    do update set id = excluded.id, change_digest = excluded.change_digest, shown = excluded.shown, state = 'waiting',
                  approver = excluded.approver, scope = null, decided_at = null, decided_by = null, created_at = excluded.created_at, expires_at = excluded.expires_at
       where agent_approvals.expires_at <= excluded.created_at
    returning id`.execute(db);
  return rows[0]?.id;
}

/** Uses an approval up; of calls at once only one has it. Resolves to the digest of the change that it is for. */
export async function takeApproval(
  db: Db,
  environmentId: EnvironmentId,
  { id, now }: { id: string; now: Date },
): Promise<Buffer | undefined> {
  const { rows } = await sql<{ changeDigest: Buffer }>`
    update agent_approvals set state = 'used'
     where environment_id = ${environmentId} and id = ${id} and state = 'approved' and expires_at > ${now}
    returning change_digest`.execute(db);
  return rows[0]?.changeDigest;
}

export interface Decision {
  readonly isApproved: boolean;
  readonly scope: "once" | "session";
  readonly reason: string | undefined;
}

/** False where it is not there, or waits no more. */
export async function decide(
  db: Db,
  environmentId: EnvironmentId,
  { id, now, isApproved, scope, reason, by }: Decision & { id: string; now: Date; by: Approver },
): Promise<boolean> {
  const result = await sql`
    update agent_approvals a
       set state = ${isApproved ? "approved" : "denied"}, scope = ${isApproved ? scope : null},
           reason = ${isApproved ? null : (reason ?? null)}, decided_at = ${now}, decided_by = ${by}
      from agent_sessions s
     where a.environment_id = ${environmentId} and a.id = ${id} and a.state = 'waiting' and a.expires_at > ${now}
       and s.id = a.session_id and s.ended_at is null and s.expires_at > ${now}`.execute(db);
  return Number(result.numAffectedRows ?? 0n) === 1;
}

const columns = (now: Date) => sql`
  a.id, a.session_id as "sessionId", s.end_user_id as "endUserId", s.toolset, a.tool, a.integration,
  a.connection_id as "connectionId", a.effect, a.scope, a.reason, a.created_at as "createdAt",
  a.expires_at as "expiresAt", a.decided_at as "decidedAt", a.approver,
  a.decided_by as "decidedBy", ${stateAt(now)} as state`;

/** What waits for its person, or its agent, does so until its time or its session is over. */
const stateAt = (now: Date) => sql`
  case when a.state in ('waiting', 'approved')
            and (a.expires_at <= ${now} or s.ended_at is not null or s.expires_at <= ${now})
       then 'expired' else a.state end`;

export interface ApprovalPage {
  readonly state: Approval["state"] | undefined;
  readonly sessionId: string | undefined;
  readonly endUserId: string | undefined;
  readonly after: KeysetPosition | undefined;
  readonly limit: number;
  readonly now: Date;
}

/** Newest first. */
export async function listApprovalRows(
  db: Db,
  environmentId: EnvironmentId,
  { state, sessionId, endUserId, after, limit, now }: ApprovalPage,
): Promise<Approval[]> {
  const wanted = [sql`a.environment_id = ${environmentId}`];
  if (state !== undefined) wanted.push(sql`${stateAt(now)} = ${state}`);
  if (sessionId !== undefined) wanted.push(sql`a.session_id = ${sessionId}`);
  if (endUserId !== undefined) wanted.push(sql`s.end_user_id = ${endUserId}`);
  if (after !== undefined) {
    wanted.push(sql`(a.created_at, a.id) < (${after.createdAt}, ${after.id})`);
  }
  const { rows } = await sql<Approval>`
    select ${columns(now)} from agent_approvals a join agent_sessions s on s.id = a.session_id
     where ${sql.join(wanted, sql` and `)}
     order by a.created_at desc, a.id desc limit ${limit}`.execute(db.withoutPlugins());
  return rows;
}

/** With what the person sees, sealed. */
export async function findApprovalRow(
  db: Db,
  environmentId: EnvironmentId,
  { id, now }: { id: string; now: Date },
): Promise<(Approval & { readonly shown: Buffer }) | undefined> {
  const { rows } = await sql<Approval & { readonly shown: Buffer }>`
    select ${columns(now)}, a.shown from agent_approvals a join agent_sessions s on s.id = a.session_id
     where a.environment_id = ${environmentId} and a.id = ${id}`.execute(db.withoutPlugins());
  return rows[0];
}

/** Which environment has it. */
export async function findEnvironmentOfApproval(db: Db, id: string): Promise<string | undefined> {
  const { rows } = await sql<{ environmentId: string }>`
    select environment_id from agent_approvals where id = ${id}`.execute(db);
  return rows[0]?.environmentId;
}
