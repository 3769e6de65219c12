import { type RawBuilder, sql } from "kysely";
import type { EnvironmentId, KeysetPosition } from "#foundation";
import { type Db, runNamed } from "#foundation/db";
import { insertionOfSeen, type NewSeen } from "../provenance/store.ts";
import type { ServedSession } from "../sessions/session.ts";
import type { Effect } from "../toolsets/toolset.ts";

/** A call that is about to begin, or was refused. */
export interface NewCall {
  readonly id: string;
  readonly at: Date;
  readonly sessionId: string;
  readonly client: string | undefined;
  readonly tool: string;
  readonly integration: string | undefined;
  readonly connectionId: string | undefined;
  readonly effect: Effect | undefined;
  readonly inputDigest: Buffer | undefined;
  /** Whether others may have written what it answers. */
  readonly isUntrusted?: boolean;
  /** The call of a script that makes it. */
  readonly parentId?: string | undefined;
}

/** What was taken of the budget, and how often the same was answered before. */
export interface Taken {
  readonly calls: number;
  readonly writes: number;
  readonly maxCalls: number | null;
  readonly maxWrites: number | null;
  readonly repeats: number;
  readonly repeatedOutput: Buffer | null;
}

interface Limits {
  /** A call that was answered alike so often since then is not made. */
  readonly mostRepeats: number;
  readonly since: Date;
  /** What it was decided by: where that has changed, it is not made. */
  readonly decidedBy: Pick<ServedSession, "policy" | "taint" | "toolsetId" | "currentVersion">;
  readonly connectionUuid: string;
}

/**
 * Takes the call of its session's budget, notes what the agent will have read, and writes the call's row, in one
 * statement: of calls in all processes no more begin than the budget has, none once the session is ended, and none by
 * rules or for an account of before. Undefined where it may not begin.
 */
export async function takeCall(
  db: Db,
  environmentId: EnvironmentId,
  { mostRepeats, since, decidedBy, connectionUuid, ...call }: NewCall & Limits,
): Promise<Taken | undefined> {
  const writes = call.effect === "read" ? 0 : 1;
  const query = sql<Taken>`
    with earlier as (
      select output_digest, count(*)::int as repeats from agent_calls
       where session_id = ${call.sessionId} and at >= ${since} and input_digest = ${call.inputDigest ?? null}::bytea
         and outcome = 'success'
       group by output_digest order by repeats desc limit 1
    ), taken as (
      update agent_sessions set calls = calls + 1, writes = writes + ${writes}::int, private_read = true,
             untrusted_seen = untrusted_seen or ${call.isUntrusted === true}::boolean
       where environment_id = ${environmentId} and id = ${call.sessionId} and ended_at is null
         and expires_at > ${call.at} and (max_calls is null or calls < max_calls)
         and (${writes}::int = 0 or max_writes is null or writes < max_writes)
         and (max_result_tokens is null or result_tokens < max_result_tokens)
         and coalesce((select repeats from earlier), 0) < ${mostRepeats}::int
         and untrusted_seen = ${decidedBy.taint.untrustedSeen}::boolean
         and policy = ${JSON.stringify(decidedBy.policy)}::jsonb
         and exists (select from agent_toolsets t
                      where t.id = ${decidedBy.toolsetId}::uuid and t.version = ${decidedBy.currentVersion}::int)
         and exists (select from connections c
                      where c.uuid = ${connectionUuid}::uuid and c.environment_id = ${environmentId}
                        and c.deleted_at is null and c.tags ->> 'end_user_id' = agent_sessions.end_user_id)
      returning id, end_user_id, toolset, toolset_version, calls, writes, max_calls, max_writes
    ), noted as (
      ${insertion(environmentId, call, { from: sql`taken s`, outcome: "running" })} returning id
    )
    select calls, writes, max_calls, max_writes, coalesce((select repeats from earlier), 0) as repeats,
           (select output_digest from earlier) as repeated_output
      from taken`;
  const [taken] = await runNamed<Taken>(db, "take_agent_call", query);
  return taken;
}

/** What the results of a session have taken of its budget; one without such a budget is not counted. */
export async function countResult(
  db: Db,
  environmentId: EnvironmentId,
  { sessionId, tokens }: { sessionId: string; tokens: number },
): Promise<void> {
  await sql`
    update agent_sessions set result_tokens = result_tokens + ${tokens}
     where environment_id = ${environmentId} and id = ${sessionId} and max_result_tokens is not null`.execute(
    db,
  );
}

/** Of a call that has asked its user and done nothing. */
export async function giveBackCall(
  db: Db,
  environmentId: EnvironmentId,
  { sessionId, effect }: Pick<NewCall, "sessionId" | "effect">,
): Promise<void> {
  const writes = effect === "read" ? 0 : 1;
  await sql`
    update agent_sessions set calls = calls - 1, writes = writes - ${writes}::int
     where environment_id = ${environmentId} and id = ${sessionId}`.execute(db);
}

/** Of a call that may not begin. */
export async function noteRefusal(
  db: Db,
  environmentId: EnvironmentId,
  { code, ...call }: NewCall & { readonly code: string },
): Promise<void> {
  const from = sql`agent_sessions s where s.environment_id = ${environmentId} and s.id = ${call.sessionId}`;
  await insertion(environmentId, call, { from, outcome: "refused", code }).execute(db);
}

/** Of a script: its calls are taken of the budget one by one. */
export async function noteScript(
  db: Db,
  environmentId: EnvironmentId,
  call: NewCall,
): Promise<void> {
  const from = sql`agent_sessions s where s.environment_id = ${environmentId} and s.id = ${call.sessionId}`;
  await insertion(environmentId, call, { from, outcome: "running" }).execute(db);
}

function insertion(
  environmentId: EnvironmentId,
  call: NewCall,
  { from, outcome, code }: { from: RawBuilder<unknown>; outcome: string; code?: string },
): RawBuilder<unknown> {
  return sql`
    insert into agent_calls
      (id, at, environment_id, session_id, end_user_id, client, toolset, toolset_version, tool, integration,
       connection_id, effect, outcome, code, input_digest, parent_id)
    select ${call.id}::uuid, ${call.at}::timestamptz, ${environmentId}::uuid, s.id, s.end_user_id,
           ${call.client ?? null}::text, s.toolset, s.toolset_version, ${call.tool}::text,
           ${call.integration ?? null}::text, ${call.connectionId ?? null}::text, ${call.effect ?? null}::text,
           ${outcome}::text, ${code ?? null}::text, ${call.inputDigest ?? null}::bytea,
           ${call.parentId ?? null}::uuid
      from ${from}`;
}

export interface CallEnd {
  readonly id: string;
  readonly at: Date;
  readonly outcome: "success" | "failed";
  readonly code?: string | undefined;
  readonly outputDigest?: Buffer | undefined;
  readonly durationMs: number;
  /** What the agent reads of others' texts by it. */
  readonly seen?: NewSeen | undefined;
}

/**
 * Not forced to the disk at once: the call began in a row that is, and after a power failure one of the last moment
 * ended with an outcome that is not known.
 */
export async function endCall(
  db: Db,
  environmentId: EnvironmentId,
  { id, at, outcome, code, outputDigest, durationMs, seen }: CallEnd,
): Promise<void> {
  const query = sql`
    with ${seen === undefined ? sql`` : sql`${insertionOfSeen(environmentId, seen)},`}
    quickly as materialized (select set_config('synchronous_commit', 'off', true))
    update agent_calls set outcome = ${outcome}, code = ${code ?? null}, output_digest = ${outputDigest ?? null},
           duration_ms = ${durationMs}
      from quickly where environment_id = ${environmentId} and id = ${id} and at = ${at}`;
  const name = seen?.makesRoom === true ? "end_agent_call_seen_room" : "end_agent_call_seen";
  await runNamed(db, seen === undefined ? "end_agent_call" : name, query);
}

export interface AgentCall {
  readonly id: string;
  readonly at: Date;
  readonly sessionId: string;
  readonly endUserId: string | null;
  readonly client: string | null;
  readonly toolset: string;
  readonly toolsetVersion: number;
  readonly tool: string;
  readonly integration: string | null;
  readonly connectionId: string | null;
  readonly effect: Effect | null;
  readonly outcome: "running" | "success" | "failed" | "refused";
  readonly code: string | null;
  readonly inputDigest: Buffer | null;
  readonly outputDigest: Buffer | null;
  readonly durationMs: number | null;
  readonly parentId: string | null;
}

interface CallPage {
  readonly sessionId: string | undefined;
  readonly endUserId: string | undefined;
  readonly parentId: string | undefined;
  readonly after: KeysetPosition | undefined;
  readonly limit: number;
}

/** Newest first. */
export async function listCallRows(
  db: Db,
  environmentId: EnvironmentId,
  { sessionId, endUserId, parentId, after, limit }: CallPage,
): Promise<AgentCall[]> {
  const wanted = [sql`environment_id = ${environmentId}`];
  if (sessionId !== undefined) wanted.push(sql`session_id = ${sessionId}`);
  if (parentId !== undefined) wanted.push(sql`parent_id = ${parentId}`);
  if (endUserId !== undefined) wanted.push(sql`end_user_id = ${endUserId}`);
  if (after !== undefined) wanted.push(sql`(at, id) < (${after.createdAt}, ${after.id})`);
  const { rows } = await sql<AgentCall>`
    select id, at, session_id, end_user_id, client, toolset, toolset_version, tool, integration, connection_id,
           effect, outcome, code, input_digest, output_digest, duration_ms, parent_id
      from agent_calls where ${sql.join(wanted, sql` and `)}
     order by at desc, id desc limit ${limit}`.execute(db);
  return rows;
}

/** Takes an end user out of what their agents did; how many rows it changed. */
export async function disguiseCallsOf(
  db: Db,
  environmentId: EnvironmentId,
  endUserId: string,
): Promise<number> {
  const result = await sql`
    update agent_calls set end_user_id = null, connection_id = null
     where environment_id = ${environmentId} and end_user_id = ${endUserId}`.execute(db);
  return Number(result.numAffectedRows ?? 0n);
}
