import { sql } from "kysely";
import type { EnvironmentId } from "#platform";
import { type Db, runNamed } from "#platform/db";
import { toVersion, type VersionRow, versionColumns } from "../store.ts";
import {
  type Allowance,
  isAllowedAtFirst,
  type ListedTool,
  type ServerInfo,
  type UpstreamList,
  type UpstreamVersion,
} from "../upstream.ts";

interface Place {
  readonly integrationId: number;
  readonly connectionUuid: string;
  readonly serverUrl: string;
}

interface NewList extends Place {
  readonly tools: readonly ListedTool[];
  readonly isPublic: boolean;
  readonly server: ServerInfo;
  readonly now: Date;
  readonly expiresAt: Date;
}

/** Versions of one tool that nobody has allowed, and of all tools of a server: what a server makes up costs no more. */
const KEPT_UNDECIDED = 5;
const KEPT_OF_SERVER = 2000;

/** A version of a tool that the operator had allowed another version of. */
export interface ChangedTool {
  readonly before: UpstreamVersion;
  readonly after: UpstreamVersion;
}

/**
 * Stores what a server lists for a connection; call it in a transaction. Of a server that was never seen before,
 * tools are allowed as the operator has said beforehand; any later version waits. Resolves to what has changed.
 */
export async function saveList(
  db: Db,
  environmentId: EnvironmentId,
  list: NewList,
): Promise<ChangedTool[]> {
  const { integrationId, serverUrl, tools, now } = list;
  const allow = await lockAllowance(db, environmentId, integrationId);
  const known = await listVersions(db, { integrationId, serverUrl });
  const isFirst = known.length === 0;
  const fresh = tools.filter(
    ({ name, digest }) => !known.some((each) => each.name === name && each.digest === digest),
  );
  const states = fresh.map((tool) =>
    isFirst && isAllowedAtFirst(allow, tool) ? "allowed" : "new",
  );
  if (fresh.length > 0) {
    await sql`
      insert into agent_upstream_tools (environment_id, integration_id, server_url, name, digest, definition, state,
             first_seen_at, seen_at, decided_at)
      select ${environmentId}, ${integrationId}, ${serverUrl}, name, digest, definition::json, state, ${now}, ${now},
             case when state = 'allowed' then ${now}::timestamptz end
        from unnest(${fresh.map(({ name }) => name)}::text[], ${fresh.map(({ digest }) => digest)}::text[],
             ${fresh.map(({ definition }) => JSON.stringify(definition))}::text[], ${states}::text[])
             as listed (name, digest, definition, state)`.execute(db);
  }
  await sql`
    update agent_upstream_tools t set seen_at = ${now}
      from unnest(${tools.map(({ name }) => name)}::text[], ${tools.map(({ digest }) => digest)}::text[])
           as listed (name, digest)
     where integration_id = ${integrationId} and server_url = ${serverUrl} and t.name = listed.name
       and t.digest = listed.digest and seen_at < ${now}`.execute(db);
  await prune(db, { integrationId, serverUrl });
  await upsertList(db, environmentId, list);
  return fresh.flatMap((tool) => {
    const before = known.find(({ name, state }) => name === tool.name && state === "allowed");
    if (before === undefined) return [];
    const after: UpstreamVersion = {
      ...{ ...tool, integrationId, serverUrl, state: "new", effect: undefined, sends: false },
      ...{ firstSeenAt: now, seenAt: now, decidedAt: undefined },
    };
    return [{ before, after }];
  });
}

/** One list of an integration is stored after the other: what is a server's first is then clear. */
async function lockAllowance(
  db: Db,
  environmentId: EnvironmentId,
  integrationId: number,
): Promise<Allowance> {
  const none: Allowance = "none";
  await sql`
    insert into agent_upstreams (integration_id, environment_id, allow)
    values (${integrationId}, ${environmentId}, ${JSON.stringify(none)}) on conflict do nothing`.execute(
    db,
  );
  const { rows } = await sql<{ allow: Allowance }>`
    select allow from agent_upstreams where integration_id = ${integrationId} for update`.execute(
    db,
  );
  return rows[0]?.allow ?? none;
}

async function listVersions(
  db: Db,
  { integrationId, serverUrl }: Pick<Place, "integrationId" | "serverUrl">,
): Promise<UpstreamVersion[]> {
  const { rows } = await sql<VersionRow>`
    select ${versionColumns} from agent_upstream_tools t
     where integration_id = ${integrationId} and server_url = ${serverUrl}
     order by seen_at desc, first_seen_at desc`.execute(db);
  return rows.map(toVersion);
}

/** Of what nobody has decided about, the oldest go. */
async function prune(
  db: Db,
  { integrationId, serverUrl }: Pick<Place, "integrationId" | "serverUrl">,
): Promise<void> {
  await sql`
    delete from agent_upstream_tools t using (
      select name, digest, row_number() over (partition by name order by seen_at desc, first_seen_at desc) as rank,
             row_number() over (order by seen_at desc, first_seen_at desc) as place
        from agent_upstream_tools
       where integration_id = ${integrationId} and server_url = ${serverUrl} and state = 'new'
    ) old
     where t.integration_id = ${integrationId} and t.server_url = ${serverUrl} and t.name = old.name
       and t.digest = old.digest and (old.rank > ${KEPT_UNDECIDED} or old.place > ${KEPT_OF_SERVER})`.execute(
    db,
  );
}

async function upsertList(
  db: Db,
  environmentId: EnvironmentId,
  { integrationId, connectionUuid, serverUrl, isPublic, tools, server, now, expiresAt }: NewList,
): Promise<void> {
  const digests = JSON.stringify(
    Object.fromEntries(tools.map(({ name, digest }) => [name, digest])),
  );
  // The newest public list is that of all.
  if (isPublic) {
    await sql`
      delete from agent_upstream_lists
       where integration_id = ${integrationId} and server_url = ${serverUrl} and is_public
         and connection_uuid <> ${connectionUuid}`.execute(db);
  }
  await sql`
    insert into agent_upstream_lists (connection_uuid, environment_id, integration_id, server_url, is_public, tools,
           server, refreshed_at, expires_at)
    values (${connectionUuid}, ${environmentId}, ${integrationId}, ${serverUrl}, ${isPublic}, ${digests},
            ${JSON.stringify(server)}, ${now}, ${expiresAt})
    on conflict (connection_uuid) do update set server_url = excluded.server_url, is_public = excluded.is_public,
           tools = excluded.tools, server = excluded.server, refreshed_at = excluded.refreshed_at,
           expires_at = excluded.expires_at, failure = null, failed_at = null`.execute(db);
}

/** What was listed before stays, as long as it is of the same server. */
export async function saveFailure(
  db: Db,
  environmentId: EnvironmentId,
  {
    integrationId,
    connectionUuid,
    serverUrl,
    failure,
    failedAt,
    expiresAt,
  }: Place & { failure: string; failedAt: Date; expiresAt: Date },
): Promise<void> {
  await sql`
    insert into agent_upstream_lists as l (connection_uuid, environment_id, integration_id, server_url, is_public,
           tools, expires_at, failure, failed_at)
    values (${connectionUuid}, ${environmentId}, ${integrationId}, ${serverUrl}, false, '{}', ${expiresAt},
            ${failure}, ${failedAt})
    on conflict (connection_uuid) do update set server_url = excluded.server_url, expires_at = excluded.expires_at,
           failure = excluded.failure, failed_at = excluded.failed_at,
           tools = case when l.server_url = excluded.server_url then l.tools else '{}' end`.execute(
    db,
  );
}

interface ListRow
  extends Omit<UpstreamList, "refreshedAt" | "failure" | "failedAt" | "server" | "integrationId"> {
  readonly integrationId: string | number;
  readonly server: ServerInfo | null;
  readonly refreshedAt: Date | null;
  readonly failure: string | null;
  readonly failedAt: Date | null;
}

const listColumns = sql`connection_uuid, integration_id, server_url, is_public, tools, server, refreshed_at, expires_at,
  failure, failed_at`;

function toList({
  server,
  refreshedAt,
  failure,
  failedAt,
  integrationId,
  ...row
}: ListRow): UpstreamList {
  return {
    ...row,
    integrationId: Number(integrationId),
    server: server ?? undefined,
    refreshedAt: refreshedAt ?? undefined,
    failure: failure ?? undefined,
    failedAt: failedAt ?? undefined,
  };
}

/** What was listed for these connections, and the public lists of these integrations. */
export async function findLists(
  db: Db,
  environmentId: EnvironmentId,
  {
    connectionUuids,
    integrationIds,
  }: { connectionUuids: readonly string[]; integrationIds: readonly number[] },
): Promise<UpstreamList[]> {
  const query = sql<ListRow>`
    select ${listColumns} from agent_upstream_lists
     where environment_id = ${environmentId}::uuid
       and (connection_uuid = any(${connectionUuids}::uuid[]) or is_public and integration_id = any(${integrationIds}::bigint[]))`;
  return (await runNamed<ListRow>(db, "find_upstream_lists", query)).map(toList);
}

/** The list of an integration that was read last, by any connection. */
export async function findNewestList(
  db: Db,
  integrationId: number,
): Promise<UpstreamList | undefined> {
  const { rows } = await sql<ListRow>`
    select ${listColumns} from agent_upstream_lists where integration_id = ${integrationId}
     order by refreshed_at desc nulls last limit 1`.execute(db);
  return rows[0] && toList(rows[0]);
}

/** The list has changed, as its server has said: who needs it next reads it again, within a few seconds at most. */
export async function expireLists(
  db: Db,
  { integrationId, serverUrl, now }: { integrationId: number; serverUrl: string; now: Date },
): Promise<void> {
  await sql`
    update agent_upstream_lists set expires_at = greatest(${now}::timestamptz, refreshed_at + interval '5 seconds')
     where integration_id = ${integrationId} and server_url = ${serverUrl} and expires_at > ${now}`.execute(
    db,
  );
}
