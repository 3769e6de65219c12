import { sql } from "kysely";
import type { EnvironmentId, KeysetPosition } from "#foundation";
import { type Db, runNamed } from "#foundation/db";
import type { Budget, Effect, Policy, ToolsetSettings } from "../toolsets/toolset.ts";
import type { AgentSession, ServedSession } from "./session.ts";

export interface NewSession {
  readonly id: string;
  readonly tokenHash: Buffer;
  readonly toolsetId: string;
  readonly toolset: string;
  readonly toolsetVersion: number;
  readonly endUserId: string;
  readonly policy: Policy;
  readonly budget: Budget;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  /** Of a client that an end user let in. */
  readonly grantId?: string | undefined;
  readonly clientId?: string | undefined;
  readonly askedEffects?: readonly Effect[] | undefined;
}

/** False when its toolset has been deleted meanwhile: its sessions end with it. */
export async function insertSession(
  db: Db,
  environmentId: EnvironmentId,
  row: NewSession,
): Promise<boolean> {
  const result = await sql`
    insert into agent_sessions
      (id, environment_id, token_hash, toolset_id, toolset, toolset_version, end_user_id, policy, max_calls,
       max_writes, created_at, expires_at, grant_id, client_id, asked_effects,
       max_calls_per_day, max_writes_per_day, max_result_tokens, max_code_seconds)
    select ${row.id}, ${environmentId}, ${row.tokenHash}, t.id, ${row.toolset}, ${row.toolsetVersion},
           ${row.endUserId}, ${JSON.stringify(row.policy)}::jsonb, ${row.budget.calls ?? null}::int,
           ${row.budget.writes ?? null}::int, ${row.createdAt}::timestamptz, ${row.expiresAt}::timestamptz,
           ${row.grantId ?? null}::uuid, ${row.clientId ?? null}::text,
           ${row.askedEffects === undefined ? null : JSON.stringify(row.askedEffects)}::jsonb,
           ${row.budget.calls_per_day ?? null}::int, ${row.budget.writes_per_day ?? null}::int,
           ${row.budget.result_tokens ?? null}::int, ${row.budget.code_seconds ?? null}::int
      from agent_toolsets t where t.environment_id = ${environmentId} and t.id = ${row.toolsetId}
       for share
    on conflict (token_hash) do nothing`.execute(db);
  return result.numAffectedRows === 1n;
}

const columns = sql.raw(
  `s.id, s.environment_id as "environmentId", s.toolset_id as "toolsetId", s.client_id as "clientId",
   s.asked_effects as "askedEffects", s.toolset, s.toolset_version as "toolsetVersion",
   s.end_user_id as "endUserId", s.policy, s.max_calls as "maxCalls", s.max_writes as "maxWrites", s.calls, s.writes,
   s.max_calls_per_day as "maxCallsPerDay", s.max_writes_per_day as "maxWritesPerDay",
   s.max_result_tokens as "maxResultTokens", s.result_tokens as "resultTokens",
   s.max_code_seconds as "maxCodeSeconds", ceil(s.code_ms / 1000.0)::int as "codeSeconds",
   s.private_read as "privateRead", s.untrusted_seen as "untrustedSeen",
   s.created_at as "createdAt", s.expires_at as "expiresAt", s.ended_at as "endedAt"`,
);

interface SessionRow
  extends Omit<
    AgentSession,
    "budget" | "used" | "taint" | "endedAt" | "clientId" | "askedEffects"
  > {
  readonly privateRead: boolean;
  readonly untrustedSeen: boolean;
  readonly askedEffects: readonly Effect[] | null;
  readonly clientId: string | null;
  readonly maxCalls: number | null;
  readonly maxWrites: number | null;
  readonly maxCallsPerDay: number | null;
  readonly maxWritesPerDay: number | null;
  readonly maxResultTokens: number | null;
  readonly maxCodeSeconds: number | null;
  readonly calls: number;
  readonly writes: number;
  readonly resultTokens: number;
  readonly codeSeconds: number;
  readonly endedAt: Date | null;
}

function toSession(row: SessionRow): AgentSession {
  const { maxCalls, maxWrites, maxCallsPerDay, maxWritesPerDay, maxResultTokens, ...rest } = row;
  const { calls, writes, resultTokens, endedAt, clientId, askedEffects, ...known } = rest;
  const { privateRead, untrustedSeen, maxCodeSeconds, codeSeconds, ...session } = known;
  return {
    ...session,
    clientId: clientId ?? undefined,
    askedEffects: askedEffects ?? undefined,
    budget: {
      ...{ calls: maxCalls ?? undefined, writes: maxWrites ?? undefined },
      calls_per_day: maxCallsPerDay ?? undefined,
      writes_per_day: maxWritesPerDay ?? undefined,
      result_tokens: maxResultTokens ?? undefined,
      code_seconds: maxCodeSeconds ?? undefined,
    },
    used: { calls, writes, result_tokens: resultTokens, code_seconds: codeSeconds },
    taint: { privateRead, untrustedSeen },
    endedAt: endedAt ?? undefined,
  };
}

export async function findSession(
  db: Db,
  environmentId: EnvironmentId,
  id: string,
): Promise<AgentSession | undefined> {
  const { rows } = await sql<SessionRow>`
    select ${columns} from agent_sessions s
     where s.environment_id = ${environmentId} and s.id = ${id}`.execute(db.withoutPlugins());
  return rows.map(toSession)[0];
}

/** The same, locked until the transaction ends. */
export async function lockSession(
  db: Db,
  environmentId: EnvironmentId,
  id: string,
): Promise<AgentSession | undefined> {
  const { rows } = await sql<SessionRow>`
    select ${columns} from agent_sessions s
     where s.environment_id = ${environmentId} and s.id = ${id} for update`.execute(
    db.withoutPlugins(),
  );
  return rows.map(toSession)[0];
}

export async function saveNarrowed(
  db: Db,
  environmentId: EnvironmentId,
  { id, policy, budget, expiresAt }: AgentSession,
): Promise<void> {
  await sql`
    update agent_sessions set policy = ${JSON.stringify(policy)}::jsonb, max_calls = ${budget.calls ?? null},
           max_writes = ${budget.writes ?? null}, max_calls_per_day = ${budget.calls_per_day ?? null},
           max_writes_per_day = ${budget.writes_per_day ?? null},
           max_result_tokens = ${budget.result_tokens ?? null},
           max_code_seconds = ${budget.code_seconds ?? null}, expires_at = ${expiresAt}
     where environment_id = ${environmentId} and id = ${id}`.execute(db);
}

type ServedRow = SessionRow & {
  readonly currentVersion: number;
  readonly begun: ToolsetSettings;
  readonly current: ToolsetSettings;
};

const toolsetColumns = sql.raw(
  'begun.settings as begun, current.settings as current, t.version as "currentVersion"',
);

const toolsetOfSession = sql.raw(
  `join agent_toolsets t on t.id = s.toolset_id
   join agent_toolset_versions begun on begun.toolset_id = t.id and begun.version = s.toolset_version
   join agent_toolset_versions current on current.toolset_id = t.id and current.version = t.version`,
);

function toServed([row]: readonly ServedRow[]): ServedSession | undefined {
  if (row === undefined) return undefined;
  const { begun, current, currentVersion, ...session } = row;
  return { ...toSession(session), currentVersion, settings: [begun, current] };
}

/** With the two versions of its toolset that count; undefined once the toolset is deleted. */
export async function findServedSession(
  db: Db,
  environmentId: EnvironmentId,
  id: string,
): Promise<ServedSession | undefined> {
  const query = sql<ServedRow>`
    select ${columns}, ${toolsetColumns} from agent_sessions s ${toolsetOfSession}
     where s.environment_id = ${environmentId} and s.id = ${id}`;
  return toServed(await runNamed<ServedRow>(db.withoutPlugins(), "served_agent_session", query));
}

/** The token names the environment. */
export async function findSessionByHash(
  db: Db,
  tokenHash: Buffer,
): Promise<ServedSession | undefined> {
  const query = sql<ServedRow>`
    select ${columns}, ${toolsetColumns} from agent_sessions s ${toolsetOfSession}
     where s.token_hash = ${tokenHash}`;
  return toServed(await runNamed<ServedRow>(db.withoutPlugins(), "agent_session_by_token", query));
}

/** The session whose access token has this id. */
export async function findSessionByAccessToken(
  db: Db,
  { id, now }: { id: string; now: Date },
): Promise<ServedSession | undefined> {
  const query = sql<ServedRow>`
    select ${columns}, ${toolsetColumns}
      from agent_oauth_items i join agent_sessions s on s.grant_id = i.grant_id ${toolsetOfSession}
     where i.id = ${id} and i.model = 'AccessToken' and i.environment_id = s.environment_id
       and i.expires_at > ${now}`;
  const name = "agent_session_by_access_token";
  return toServed(await runNamed<ServedRow>(db.withoutPlugins(), name, query));
}

/** Newest first. */
export async function listSessionRows(
  db: Db,
  environmentId: EnvironmentId,
  page: SessionFilter & {
    /** Only those that are open then. */
    openAt: Date | undefined;
    after: KeysetPosition | undefined;
    limit: number;
  },
): Promise<AgentSession[]> {
  const { openAt, after, limit } = page;
  const wanted = [sql`s.environment_id = ${environmentId}`, ...conditionsOf(page)];
  if (openAt !== undefined) wanted.push(sql`s.ended_at is null and s.expires_at > ${openAt}`);
  if (after !== undefined) {
    wanted.push(sql`(s.created_at, s.id) < (${after.createdAt}, ${after.id})`);
  }
  const { rows } = await sql<SessionRow>`
    select ${columns} from agent_sessions s where ${sql.join(wanted, sql` and `)}
     order by s.created_at desc, s.id desc limit ${limit}`.execute(db.withoutPlugins());
  return rows.map(toSession);
}

/** Of which toolset, for whom, with tools of which integration. */
interface SessionFilter {
  readonly toolset?: string | undefined;
  readonly endUserId?: string | undefined;
  /** Key of an integration that the toolset had when the session began. */
  readonly integration?: string | undefined;
}

function conditionsOf({ toolset, endUserId, integration }: SessionFilter) {
  const wanted = [];
  if (toolset !== undefined) wanted.push(sql`s.toolset = ${toolset}`);
  if (endUserId !== undefined) wanted.push(sql`s.end_user_id = ${endUserId}`);
  if (integration !== undefined) {
    const tools = JSON.stringify([{ integration }]);
    wanted.push(sql`exists (
      select from agent_toolset_versions v
       where v.toolset_id = s.toolset_id and v.version = s.toolset_version
         and (v.settings -> 'tools' @> ${tools}::jsonb or v.settings -> 'api' @> ${tools}::jsonb))`);
  }
  return wanted;
}

/** Which open sessions to end; all of the environment without a further condition. */
export interface Ended extends SessionFilter {
  readonly now: Date;
  readonly id?: string | undefined;
  readonly ids?: readonly string[] | undefined;
  readonly toolsetId?: string | undefined;
}

/** How many it has ended. */
export async function endSessions(
  db: Db,
  environmentId: EnvironmentId,
  { now, id, ids, toolsetId, ...filter }: Ended,
): Promise<number> {
  const wanted = [
    sql`s.environment_id = ${environmentId}`,
    sql`s.ended_at is null`,
    sql`s.expires_at > ${now}`,
    ...conditionsOf(filter),
  ];
  if (id !== undefined) wanted.push(sql`s.id = ${id}`);
  if (ids !== undefined) wanted.push(sql`s.id = any(${ids}::uuid[])`);
  if (toolsetId !== undefined) wanted.push(sql`s.toolset_id = ${toolsetId}`);
  // Tokens of clients go with their sessions, so that refreshing says at once that it is over; scripts, and what their
  // calls were answered, are of no use to anybody else.
  const { rows } = await sql<{ count: number }>`
    with ended as (
      update agent_sessions s set ended_at = ${now} where ${sql.join(wanted, sql` and `)}
      returning s.id, s.grant_id
    ), scripts as (
      delete from agent_scripts a using ended e where a.session_id = e.id
    ), deferred as (
      delete from agent_deferred_calls d using ended e where d.session_id = e.id
    ), gone as (
      delete from agent_oauth_items i using ended e where i.id = e.grant_id or i.grant_id = e.grant_id
    )
    select count(*)::int as count from ended`.execute(db);
  return rows[0]?.count ?? 0;
}

/** Of an end user who is erased. */
export async function deleteSessionsOf(
  db: Db,
  environmentId: EnvironmentId,
  endUserId: string,
): Promise<number> {
  const result = await sql`
    delete from agent_sessions
     where environment_id = ${environmentId} and end_user_id = ${endUserId}`.execute(db);
  return Number(result.numAffectedRows ?? 0n);
}

export async function deleteSessionsBefore(db: Db, time: Date): Promise<void> {
  await sql`delete from agent_sessions where expires_at < ${time}`.execute(db);
}
