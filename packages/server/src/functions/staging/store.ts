import { sql } from "kysely";
import type { EnvironmentId, SystemContext } from "#foundation";
import type { Db } from "#foundation/db";
import type { FunctionType } from "../deployed-function.ts";
import type { Bundle } from "../store.ts";

export interface StagedSettings {
  readonly reconcile: boolean;
  readonly deployMode: "all" | "single" | "integration";
  readonly source: "repo" | "standalone";
}

export async function insertStaged(
  db: Db,
  environmentId: EnvironmentId,
  row: { id: string; settings: StagedSettings; createdAt: Date; expiresAt: Date },
): Promise<void> {
  await sql`
    insert into staged_deployments (id, environment_id, settings, created_at, expires_at)
    values (${row.id}, ${environmentId}, ${JSON.stringify(row.settings)}, ${row.createdAt}, ${row.expiresAt})
  `.execute(db);
}

/** Keeps the newest ones of an environment. */
export async function deleteOlderStaged(
  db: Db,
  environmentId: EnvironmentId,
  kept: number,
): Promise<void> {
  await sql`
    delete from staged_deployments
     where environment_id = ${environmentId} and id in (
       select id from staged_deployments where environment_id = ${environmentId}
        order by created_at desc, id desc offset ${kept})`.execute(db);
}

export async function findStaged(
  db: Db,
  environmentId: EnvironmentId,
  { id, now }: { id: string; now: Date },
): Promise<StagedSettings | undefined> {
  const { rows } = await sql<{ settings: StagedSettings }>`
    select settings from staged_deployments
     where environment_id = ${environmentId} and id = ${id} and expires_at > ${now}`.execute(
    db.withoutPlugins(),
  );
  return rows[0]?.settings;
}

/** Counts what is about to be added, in one step with the question whether there is room; false when there is none. */
export async function takeStagedRoom(
  db: Db,
  environmentId: EnvironmentId,
  room: { id: string; functions: number; bytes: number; maxFunctions: number; maxBytes: number },
): Promise<boolean> {
  const { rows } = await sql`
    update staged_deployments
       set functions = functions + ${room.functions}, bytes = bytes + ${room.bytes}
     where environment_id = ${environmentId} and id = ${room.id}
       and functions + ${room.functions} <= ${room.maxFunctions} and bytes + ${room.bytes} <= ${room.maxBytes}
    returning 1`.execute(db);
  return rows.length === 1;
}

export interface StagedFunction {
  readonly integrationKey: string;
  readonly type: FunctionType;
  readonly name: string;
  /** JSON. */
  readonly uploaded: string;
  readonly bundleSha256: Buffer;
}

/** The later one of a name wins. */
export async function insertStagedFunctions(
  db: Db,
  environmentId: EnvironmentId,
  { id, functions }: { id: string; functions: readonly StagedFunction[] },
): Promise<void> {
  if (functions.length === 0) return;
  await sql`
    insert into staged_functions (environment_id, deployment_id, integration_key, type, name, uploaded, bundle_sha256)
    select ${environmentId}, ${id}, * from unnest(
      ${functions.map((fn) => fn.integrationKey)}::text[], ${functions.map((fn) => fn.type)}::text[],
      ${functions.map((fn) => fn.name)}::text[], ${functions.map((fn) => fn.uploaded)}::jsonb[],
      ${functions.map((fn) => fn.bundleSha256)}::bytea[])
    on conflict (deployment_id, integration_key, type, name)
    do update set uploaded = excluded.uploaded, bundle_sha256 = excluded.bundle_sha256`.execute(db);
}

/** Functions in the order of their names. */
export async function listStagedFunctions(
  db: Db,
  environmentId: EnvironmentId,
  id: string,
): Promise<{ integrationKey: string; uploaded: unknown; bundleSha256: Buffer }[]> {
  const { rows } = await sql<{ integrationKey: string; uploaded: unknown; bundleSha256: Buffer }>`
    select integration_key as "integrationKey", uploaded, bundle_sha256 as "bundleSha256" from staged_functions
     where environment_id = ${environmentId} and deployment_id = ${id}
     order by integration_key, type, name`.execute(db.withoutPlugins());
  return rows;
}

export async function insertStagedBundles(
  db: Db,
  environmentId: EnvironmentId,
  { id, bundles }: { id: string; bundles: readonly (Bundle & { sha256: Buffer })[] },
): Promise<void> {
  if (bundles.length === 0) return;
  await sql`
    insert into staged_bundles (environment_id, deployment_id, sha256, code, source, source_map)
    select ${environmentId}, ${id}, * from unnest(
      ${bundles.map(({ sha256 }) => sha256)}::bytea[], ${bundles.map(({ code }) => code)}::text[],
      ${bundles.map(({ source }) => source)}::text[], ${bundles.map((one) => one.sourceMap ?? null)}::text[])
    on conflict do nothing`.execute(db);
}

/** Which of these the environment has neither stored nor staged with this deployment. */
export async function listMissingBundles(
  db: Db,
  environmentId: EnvironmentId,
  { id, hashes }: { id: string; hashes: readonly Buffer[] },
): Promise<Buffer[]> {
  const { rows } = await sql<{ sha256: Buffer }>`
    select distinct wanted.sha256 from unnest(${hashes}::bytea[]) as wanted (sha256)
     where not exists (select 1 from function_bundles b
                        where b.environment_id = ${environmentId} and b.sha256 = wanted.sha256)
       and not exists (select 1 from staged_bundles s
                        where s.environment_id = ${environmentId} and s.deployment_id = ${id} and s.sha256 = wanted.sha256)
  `.execute(db.withoutPlugins());
  return rows.map(({ sha256 }) => sha256);
}

/** Stores the bundles that its functions name, without bringing their texts here. */
export async function keepStagedBundles(
  db: Db,
  environmentId: EnvironmentId,
  { id, now }: { id: string; now: Date },
): Promise<void> {
  await sql`
    insert into function_bundles (environment_id, sha256, code, source, source_map, created_at)
    select s.environment_id, s.sha256, s.code, s.source, s.source_map, ${now} from staged_bundles s
     where s.environment_id = ${environmentId} and s.deployment_id = ${id}
       and exists (select 1 from staged_functions f
                    where f.environment_id = ${environmentId} and f.deployment_id = ${id} and f.bundle_sha256 = s.sha256)
    on conflict do nothing`.execute(db);
}

export async function deleteStaged(
  db: Db,
  environmentId: EnvironmentId,
  id: string,
): Promise<void> {
  await sql`delete from staged_deployments where environment_id = ${environmentId} and id = ${id}`.execute(
    db,
  );
}

export async function deleteExpired(db: SystemContext["db"], now: Date): Promise<void> {
  await sql`delete from staged_deployments where expires_at <= ${now}`.execute(db);
}
