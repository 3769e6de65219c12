import { sql } from "kysely";
import { type EnvironmentId, MINUTE } from "#foundation";
import { type Db, runNamed } from "#foundation/db";
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
  /** When it is read again although nobody uses it. */
  readonly refreshAt: Date;
}

/** Versions of one tool that nobody has allowed, and of all tools of a server: what a server makes up costs no more. */
const KEPT_UNDECIDED = 5;
const KEPT_OF_SERVER = 2000;
const SEEN_AGAIN_MS = MINUTE;

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
  if (isSeenAgain(known, list)) {
    await upsertList(db, environmentId, list);
    return [];
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

/** Whether the server listed the very same last, a moment ago: of many connections' lists not each is a write of all. */
function isSeenAgain(
  known: readonly UpstreamVersion[],
  { tools, now }: Pick<NewList, "tools" | "now">,
): boolean {
  const lastSeenAt = Math.max(...known.map(({ seenAt }) => seenAt.getTime()));
  if (!(now.getTime() - lastSeenAt < SEEN_AGAIN_MS)) return false;
  const last = known.filter(({ seenAt }) => seenAt.getTime() === lastSeenAt);
  const digests = new Map(last.map(({ name, digest }) => [name, digest]));
  return (
    last.length === tools.length && tools.every((each) => digests.get(each.name) === each.digest)
  );
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

async function upsertList(db: Db, environmentId: EnvironmentId, list: NewList): Promise<void> {
  const { integrationId, connectionUuid, serverUrl, isPublic, tools, server } = list;
  const { now, expiresAt, refreshAt } = list;
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
           server, refreshed_at, expires_at, refresh_at)
    values (${connectionUuid}, ${environmentId}, ${integrationId}, ${serverUrl}, ${isPublic}, ${digests},
            ${JSON.stringify(server)}, ${now}, ${expiresAt}, ${refreshAt})
    on conflict (connection_uuid) do update set server_url = excluded.server_url, is_public = excluded.is_public,
           tools = excluded.tools, server = excluded.server, refreshed_at = excluded.refreshed_at,
           expires_at = excluded.expires_at, refresh_at = excluded.refresh_at, failures = 0, failure = null,
           failed_at = null`.execute(db);
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
    refreshAt,
  }: Place & { failure: string; failedAt: Date; expiresAt: Date; refreshAt: Date },
): Promise<void> {
  await sql`
    insert into agent_upstream_lists as l (connection_uuid, environment_id, integration_id, server_url, is_public,
           tools, expires_at, refresh_at, failures, failure, failed_at)
    values (${connectionUuid}, ${environmentId}, ${integrationId}, ${serverUrl}, false, '{}', ${expiresAt},
            ${refreshAt}, 1, ${failure}, ${failedAt})
    on conflict (connection_uuid) do update set server_url = excluded.server_url, expires_at = excluded.expires_at,
           failures = l.failures + 1, failure = excluded.failure, failed_at = excluded.failed_at,
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
  return (await findNewestLists(db, [integrationId])).get(integrationId);
}

/** The same of several integrations, by their ids. */
export async function findNewestLists(
  db: Db,
  integrationIds: readonly number[],
): Promise<ReadonlyMap<number, UpstreamList>> {
  // In two parts, each of which an index answers with its first row.
  const { rows } = await sql<ListRow>`
    select ${listColumns} from unnest(${integrationIds}::bigint[]) as wanted (id) cross join lateral (
      (select * from agent_upstream_lists
        where integration_id = wanted.id and refreshed_at is not null order by refreshed_at desc limit 1)
      union all
      (select * from agent_upstream_lists where integration_id = wanted.id and refreshed_at is null limit 1)
      limit 1) l`.execute(db);
  return new Map(rows.map(toList).map((list) => [list.integrationId, list]));
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
