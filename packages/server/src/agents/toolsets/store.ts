import { sql } from "kysely";
import type { EnvironmentId, KeysetPosition } from "#foundation";
import type { Db } from "#foundation/db";
import type { Toolset, ToolsetSettings } from "./toolset.ts";

const columns = sql.raw(`t.id, t.name, v.version, v.settings, v.created_at as "createdAt"`);

/** A version of a toolset; the newest without a number. */
export async function findToolset(
  db: Db,
  environmentId: EnvironmentId,
  { name, version }: { name: string; version?: number | undefined },
): Promise<Toolset | undefined> {
  const { rows } = await sql<Toolset>`
    select ${columns} from agent_toolsets t
      join agent_toolset_versions v on v.toolset_id = t.id and v.version = coalesce(${version ?? null}, t.version)
     where t.environment_id = ${environmentId} and t.name = ${name}`.execute(db.withoutPlugins());
  return rows[0];
}

/** The newest version; of any environment, unless one is given. */
export async function findToolsetById(
  db: Db,
  { id, environmentId }: { id: string; environmentId?: EnvironmentId },
): Promise<(Toolset & { readonly environmentId: EnvironmentId }) | undefined> {
  const { rows } = await sql<Toolset & { readonly environmentId: EnvironmentId }>`
    select ${columns}, t.environment_id as "environmentId" from agent_toolsets t
      join agent_toolset_versions v on v.toolset_id = t.id and v.version = t.version
     where t.id = ${id} and t.environment_id = ${environmentId ?? sql`t.environment_id`}`.execute(
    db.withoutPlugins(),
  );
  return rows[0];
}

/** Oldest first. */
export async function listToolsetRows(
  db: Db,
  environmentId: EnvironmentId,
  page: {
    /** A part of the name or the description. */
    search: string | undefined;
    integration: string | undefined;
    after: KeysetPosition | undefined;
    limit: number;
  },
): Promise<(Toolset & { readonly madeAt: Date })[]> {
  const { search, integration, after, limit } = page;
  const wanted = [sql`t.environment_id = ${environmentId}`];
  if (after !== undefined)
    wanted.push(sql`(t.created_at, t.id) > (${after.createdAt}, ${after.id})`);
  if (search !== undefined) {
    const text = sql`lower(t.name || ' ' || coalesce(v.settings ->> 'description', ''))`;
    wanted.push(sql`strpos(${text}, lower(${search})) > 0`);
  }
  if (integration !== undefined) {
    const named = JSON.stringify([{ integration }]);
    wanted.push(
      sql`(v.settings -> 'tools' @> ${named}::jsonb or v.settings -> 'api' @> ${named}::jsonb)`,
    );
  }
  const { rows } = await sql<Toolset & { readonly madeAt: Date }>`
    select ${columns}, t.created_at as "madeAt" from agent_toolsets t
      join agent_toolset_versions v on v.toolset_id = t.id and v.version = t.version
     where ${sql.join(wanted, sql` and `)}
     order by t.created_at, t.id limit ${limit}`.execute(db.withoutPlugins());
  return rows;
}

/** Versions of a toolset below a number, newest first. */
export async function listVersionRows(
  db: Db,
  environmentId: EnvironmentId,
  { name, below, limit }: { name: string; below: number | undefined; limit: number },
): Promise<Toolset[]> {
  const start = below === undefined ? sql`true` : sql`v.version < ${below}`;
  const { rows } = await sql<Toolset>`
    select ${columns} from agent_toolsets t
      join agent_toolset_versions v on v.toolset_id = t.id
     where t.environment_id = ${environmentId} and t.name = ${name} and ${start}
     order by v.version desc limit ${limit}`.execute(db.withoutPlugins());
  return rows;
}

export async function countToolsets(db: Db, environmentId: EnvironmentId): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from agent_toolsets where environment_id = ${environmentId}`.execute(
    db,
  );
  return rows[0]?.count ?? 0;
}

/** Makes the toolset, or counts its version up; resolves to the version whose settings are still to be stored. */
export async function raiseVersion(
  db: Db,
  environmentId: EnvironmentId,
  { id, name, now }: { id: string; name: string; now: Date },
): Promise<{ id: string; version: number }> {
  const { rows } = await sql<{ id: string; version: number }>`
    insert into agent_toolsets (id, environment_id, name, version, created_at)
    values (${id}, ${environmentId}, ${name}, 1, ${now})
    on conflict (environment_id, name) do update set version = agent_toolsets.version + 1
    returning id, version`.execute(db);
  const [raised] = rows;
  if (raised === undefined) throw new Error("an upsert returns its row");
  return raised;
}

export async function insertVersion(
  db: Db,
  environmentId: EnvironmentId,
  row: { id: string; version: number; settings: ToolsetSettings; createdAt: Date },
): Promise<void> {
  await sql`
    insert into agent_toolset_versions (toolset_id, version, environment_id, settings, created_at)
    values (${row.id}, ${row.version}, ${environmentId}, ${JSON.stringify(row.settings)}, ${row.createdAt})`.execute(
    db,
  );
}

/** Its id; undefined when there is none. */
export async function deleteToolsetRow(
  db: Db,
  environmentId: EnvironmentId,
  name: string,
): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    delete from agent_toolsets where environment_id = ${environmentId} and name = ${name}
    returning id`.execute(db);
  return rows[0]?.id;
}

/** Keys of the integrations of whose API a toolset, in its newest version, allows some requests. */
export async function listApiIntegrations(
  db: Db,
  environmentId: EnvironmentId,
): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ integration: string }>`
    select distinct selection ->> 'integration' as integration from agent_toolsets t
      join agent_toolset_versions v on v.toolset_id = t.id and v.version = t.version
      cross join lateral jsonb_array_elements(coalesce(v.settings -> 'api', '[]')) as selection
     where t.environment_id = ${environmentId}`.execute(db.withoutPlugins());
  return new Set(rows.map(({ integration }) => integration));
}
