import { sql } from "kysely";
import type { Db } from "#foundation/db";
import { toVersion, type VersionRow, versionColumns } from "../store.ts";
import type { UpstreamVersion } from "../upstream.ts";

/** The order of tools: by name, and of equal ones by the MD5 of their server's address. */
export interface ToolPosition {
  readonly name: string;
  readonly server: string;
}

export interface ToolPage {
  /** A part of the name. */
  readonly search: string | undefined;
  readonly after: ToolPosition | undefined;
  readonly limit: number;
}

/** A tool in the versions that matter: the one that was listed last, and the allowed one that was. */
export interface PagedTool extends ToolPosition {
  /** At least one. */
  readonly versions: readonly UpstreamVersion[];
  /** When its server's list was read last. */
  readonly lastSeenAt: Date;
}

/** A page of an integration's tools; definitions are read of that page alone. */
export async function listToolPage(
  db: Db,
  integrationId: number,
  { search, after, limit }: ToolPage,
): Promise<PagedTool[]> {
  const wanted = [sql`integration_id = ${integrationId}`];
  if (search !== undefined) wanted.push(sql`strpos(lower(name), lower(${search})) > 0`);
  if (after !== undefined)
    wanted.push(sql`(name collate "C", md5(server_url)) > (${after.name}, ${after.server})`);
  const newestOf = (place: number, more = sql``) => sql`
    (select ${sql.lit(place)} as place, v.* from agent_upstream_tools v
      where v.integration_id = ${integrationId} and v.server_url = n.server_url and v.name = n.name ${more}
      order by v.seen_at desc, v.first_seen_at desc limit 1)`;
  const { rows } = await sql<VersionRow & { server: string; lastSeenAt: Date }>`
    with named as (
      select name, server_url, md5(server_url) as server from agent_upstream_tools
       where ${sql.join(wanted, sql` and `)}
       group by name, server_url order by name collate "C", md5(server_url) limit ${limit}
    ), servers as (
      select server_url, max(seen_at) as last_seen_at from agent_upstream_tools
       where integration_id = ${integrationId} group by server_url
    )
    select ${versionColumns}, n.server, s.last_seen_at
      from named n join servers s on s.server_url = n.server_url
     cross join lateral (${newestOf(0)} union all ${newestOf(1, sql`and v.state = 'allowed'`)}) as t
     order by n.name collate "C", n.server, t.place`.execute(db);
  const named = Map.groupBy(rows, ({ name, server }) => `${name} ${server}`);
  return [...named.values()].flatMap((own) => {
    const [first] = own;
    if (first === undefined) return [];
    const { name, server, lastSeenAt } = first;
    return [{ name, server, lastSeenAt, versions: own.map(toVersion) }];
  });
}
