import { sql } from "kysely";
import { addMs, type EnvironmentId } from "#foundation";
import type { Db } from "#foundation/db";
import type { SqlAccess } from "./sql-access.ts";

const columns = sql.raw(
  `a.role_name as "role", a.schema_name as "schema", a.environment_id as "environmentId", a.created_at as "createdAt",
   a.password_set_at as "passwordSetAt", a.views, a.views_version as "viewsVersion",
   a.database_oid = (select oid from pg_database where datname = current_database()) as "isOfDatabase"`,
);

/** Serializes those who make and end the login of one environment. */
export async function lockEnvironment(db: Db, environmentId: EnvironmentId): Promise<void> {
  await sql`select from environments where id = ${environmentId} for no key update`.execute(db);
}

export async function findAccess(
  db: Db,
  environmentId: EnvironmentId,
): Promise<SqlAccess | undefined> {
  const { rows } = await sql<SqlAccess>`
    select ${columns} from record_sql_access a
     where a.environment_id = ${environmentId} and a.ended_at is null`.execute(db.withoutPlugins());
  return rows[0];
}

/** Also of a login that was revoked. */
export async function findAccessByRole(db: Db, role: string): Promise<SqlAccess | undefined> {
  const { rows } = await sql<SqlAccess>`
    select ${columns} from record_sql_access a where a.role_name = ${role}`.execute(
    db.withoutPlugins(),
  );
  return rows[0];
}

/** All that are not revoked, of every environment. */
export async function listRoles(db: Db): Promise<string[]> {
  const { rows } = await sql<{ role: string }>`
    select role_name as role from record_sql_access where ended_at is null`.execute(db);
  return rows.map(({ role }) => role);
}

/** Roles of an environment whose logins are revoked and not yet dropped. */
export async function listEndedRoles(db: Db, environmentId: EnvironmentId): Promise<string[]> {
  const { rows } = await sql<{ role: string }>`
    select role_name as role from record_sql_access
     where environment_id = ${environmentId} and ended_at is not null`.execute(db);
  return rows.map(({ role }) => role);
}

/** The schema has the name of the role. */
export async function insertAccess(
  db: Db,
  environmentId: EnvironmentId,
  { role, now, createdAt }: { readonly role: string; readonly now: Date; readonly createdAt: Date },
): Promise<void> {
  await sql`
    insert into record_sql_access
      (role_name, environment_id, schema_name, database_oid, created_at, password_set_at, follow_at)
    select ${role}, ${environmentId}, ${role}, oid, ${createdAt}, ${now}, ${now}
      from pg_database where datname = current_database()`.execute(db);
}

export async function notePassword(db: Db, role: string, now: Date): Promise<void> {
  await sql`update record_sql_access set password_set_at = ${now}, suspended_at = null where role_name = ${role}`.execute(
    db,
  );
}

/** Since when logins cannot sign in, for the problem that tells of it. */
export async function noteSuspended(db: Db, now: Date): Promise<void> {
  await sql`
    update record_sql_access a set suspended_at = ${now}
      from pg_roles r
     where r.rolname = a.role_name and not r.rolcanlogin and a.suspended_at is null and a.ended_at is null
       and a.database_oid = (select oid from pg_database where datname = current_database())`.execute(
    db,
  );
}

export async function noteEnded(db: Db, role: string, now: Date): Promise<void> {
  await sql`update record_sql_access set ended_at = ${now} where role_name = ${role}`.execute(db);
}

export async function deleteAccess(db: Db, role: string): Promise<void> {
  await sql`delete from record_sql_access where role_name = ${role}`.execute(db);
}

/** False while another transaction changes it, or once it is revoked. */
export async function lockAccess(db: Db, role: string): Promise<boolean> {
  const { rows } = await sql`
    select from record_sql_access where role_name = ${role} and ended_at is null
       for update skip locked`.execute(db);
  return rows.length > 0;
}

export async function noteViews(
  db: Db,
  role: string,
  {
    views,
    version,
  }: { readonly views: Readonly<Record<string, string>>; readonly version: number },
): Promise<void> {
  await sql`
    update record_sql_access set views = ${JSON.stringify(views)}::jsonb, views_version = ${version}
     where role_name = ${role}`.execute(db);
}

/** Those whose views are due to be compared, who waited longest first. A sweeper: it looks at every environment. */
export async function claimAccesses(
  db: Db,
  { now, everyMs, limit }: { readonly now: Date; readonly everyMs: number; readonly limit: number },
): Promise<SqlAccess[]> {
  const { rows } = await sql<SqlAccess>`
    with due as (
      select role_name from record_sql_access
       where ended_at is null and follow_at <= ${now}
       order by follow_at limit ${limit} for update skip locked)
    update record_sql_access a set follow_at = ${addMs(now, everyMs)} from due
     where a.role_name = due.role_name
    returning ${columns}`.execute(db.withoutPlugins());
  return rows;
}

export async function findNextFollow(db: Db): Promise<Date | undefined> {
  const { rows } = await sql<{ followAt: Date }>`
    select follow_at from record_sql_access where ended_at is null order by follow_at limit 1`.execute(
    db,
  );
  return rows[0]?.followAt;
}
