import { sql } from "kysely";
import type { EnvironmentId } from "#platform";
import type { Db } from "#platform/db";
import type { Effect } from "../toolsets/toolset.ts";
import type { Allowance, ListedTool, UpstreamVersion, VersionState } from "./upstream.ts";

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

/** All versions of an integration's tools, those that were listed last first. */
export async function listVersionsOf(db: Db, integrationId: number): Promise<UpstreamVersion[]> {
  const { rows } = await sql<VersionRow>`
    select ${versionColumns} from agent_upstream_tools t where integration_id = ${integrationId}
     order by seen_at desc, first_seen_at desc, name limit ${MOST_ALLOWED}`.execute(db);
  return rows.map(toVersion);
}

export async function findAllowance(db: Db, integrationId: number): Promise<Allowance> {
  const { rows } = await sql<{ allow: Allowance }>`
    select allow from agent_upstreams where integration_id = ${integrationId}`.execute(db);
  return rows[0]?.allow ?? "none";
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
