import { sql } from "kysely";
import type { EnvironmentId } from "#foundation";
import type { Db } from "#foundation/db";
import type { Effect } from "../toolsets/toolset.ts";
import type {
  Allowance,
  ListedTool,
  ToolState,
  UpstreamVersion,
  VersionState,
} from "./upstream.ts";

/** A version as the database has it. */
export interface VersionRow {
  readonly integrationId: string | number;
  readonly serverUrl: string;
  readonly name: string;
  readonly digest: string;
  readonly definition: ListedTool["definition"];
  readonly state: VersionState;
  readonly effect: Effect | null;
  readonly sends: boolean;
  readonly firstSeenAt: Date;
  readonly seenAt: Date;
  readonly decidedAt: Date | null;
}

export const versionColumns = sql`t.integration_id, t.server_url, t.name, t.digest, t.definition, t.state, t.effect,
  t.sends, t.first_seen_at, t.seen_at, t.decided_at`;

export function toVersion({
  effect,
  decidedAt,
  integrationId,
  ...row
}: VersionRow): UpstreamVersion {
  return {
    ...row,
    integrationId: Number(integrationId),
    effect: effect ?? undefined,
    decidedAt: decidedAt ?? undefined,
  };
}

/** Of one environment; a model cannot choose among more. */
const MOST_ALLOWED = 10_000;

/** Versions that agents may call, those that were listed last first. */
export async function listAllowed(
  db: Db,
  environmentId: EnvironmentId,
): Promise<UpstreamVersion[]> {
  const { rows } = await sql<VersionRow>`
    select ${versionColumns} from agent_upstream_tools t join integrations i on i.id = t.integration_id
     where t.environment_id = ${environmentId} and t.state = 'allowed' and i.deleted_at is null
     order by t.seen_at desc, t.first_seen_at desc limit ${MOST_ALLOWED}`.execute(db);
  return rows.map(toVersion);
}

/** The newest version of each tool of which no version was decided about. */
export async function listUndecided(db: Db, integrationId: number): Promise<UpstreamVersion[]> {
  const { rows } = await sql<VersionRow>`
    select distinct on (t.server_url, t.name) ${versionColumns} from agent_upstream_tools t
     where integration_id = ${integrationId}
       and not exists (select from agent_upstream_tools decided
                        where decided.integration_id = t.integration_id and decided.server_url = t.server_url
                          and decided.name = t.name and decided.state <> 'new')
     order by t.server_url, t.name, t.seen_at desc, t.first_seen_at desc limit ${MOST_ALLOWED}`.execute(
    db,
  );
  return rows.map(toVersion);
}

/** A version of a tool, of each server that has listed it. */
export async function listSameVersions(
  db: Db,
  integrationId: number,
  { name, digest }: Pick<UpstreamVersion, "name" | "digest">,
): Promise<UpstreamVersion[]> {
  const { rows } = await sql<VersionRow>`
    select ${versionColumns} from agent_upstream_tools t
     where integration_id = ${integrationId} and name = ${name} and digest = ${digest}
     order by server_url limit ${MOST_ALLOWED}`.execute(db);
  return rows.map(toVersion);
}

/** By the id of the integration; `none` for one that is missing. */
export async function findAllowances(
  db: Db,
  integrationIds: readonly number[],
): Promise<ReadonlyMap<number, Allowance>> {
  const { rows } = await sql<{ integrationId: string | number; allow: Allowance }>`
    select integration_id, allow from agent_upstreams
     where integration_id = any(${integrationIds}::bigint[])`.execute(db);
  return new Map(rows.map(({ integrationId, allow }) => [Number(integrationId), allow]));
}

export interface StateCount {
  readonly integrationId: number;
  readonly state: ToolState;
  readonly count: number;
}

/** How many tools of the integrations are in which state, as `stateOf` finds it, without their definitions. */
export async function countStates(
  db: Db,
  integrationIds: readonly number[],
): Promise<StateCount[]> {
  const { rows } = await sql<StateCount & { integrationId: string | number }>`
    select integration_id, state, count(*)::int as count from (
      select integration_id, case
               when newest = 'new' and has_allowed then 'changed'
               when newest <> 'allowed' then newest
               when seen_at < last_seen_at then 'gone'
               else 'allowed' end as state
        from (select distinct on (integration_id, server_url, name) integration_id, state as newest, seen_at,
                     bool_or(state = 'allowed') over (partition by integration_id, server_url, name) as has_allowed,
                     max(seen_at) over (partition by integration_id, server_url) as last_seen_at
                from agent_upstream_tools where integration_id = any(${integrationIds}::bigint[])
               order by integration_id, server_url, name, seen_at desc, first_seen_at desc) as named
      ) as tools
     group by integration_id, state`.execute(db);
  return rows.map((row) => ({ ...row, integrationId: Number(row.integrationId) }));
}

export async function saveAllowance(
  db: Db,
  environmentId: EnvironmentId,
  { integrationId, allow }: { integrationId: number; allow: Allowance },
): Promise<void> {
  await sql`
    insert into agent_upstreams (integration_id, environment_id, allow)
    values (${integrationId}, ${environmentId}, ${JSON.stringify(allow)})
    on conflict (integration_id) do update set allow = excluded.allow`.execute(db);
}

export interface Decision {
  readonly integrationId: number;
  readonly versions: readonly Pick<UpstreamVersion, "serverUrl" | "name" | "digest">[];
  readonly state: "allowed" | "refused";
  readonly effect: Effect | undefined;
  readonly sends: boolean;
  readonly now: Date;
}

/** How many there were. */
export async function decideVersions(
  db: Db,
  { integrationId, versions, state, effect, sends, now }: Decision,
): Promise<number> {
  const { rows } = await sql`
    update agent_upstream_tools t set state = ${state}, effect = ${effect ?? null}, sends = ${sends}, decided_at = ${now}
      from unnest(${versions.map(({ serverUrl }) => serverUrl)}::text[], ${versions.map(({ name }) => name)}::text[],
           ${versions.map(({ digest }) => digest)}::text[]) as wanted (server_url, name, digest)
     where t.integration_id = ${integrationId} and t.server_url = wanted.server_url and t.name = wanted.name
       and t.digest = wanted.digest
    returning t.name`.execute(db);
  return rows.length;
}
