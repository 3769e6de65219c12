import { sql } from "kysely";
import { type Db, literal, SQL_READERS, SUSPEND_LOCK_HOLDERS } from "#foundation/db";

/** Owns the views, with the right to read what they show and no other. */
export const VIEW_OWNER = "jackfield_sql_owner";

/** Sessions of one login at a time. */
const SESSIONS = 5;

/** What a role begins with; those marked by the manual as settable by any user can be changed in a session. */
const settings: Readonly<Record<string, string>> = {
  default_transaction_read_only: "on",
  statement_timeout: "60s",
  lock_timeout: "5s",
  idle_in_transaction_session_timeout: "60s",
  idle_session_timeout: "1h",
  work_mem: "16MB",
  max_parallel_workers_per_gather: "0",
  jit: "off",
};

/** What only a superuser may set for others, or who was granted it; a session cannot change it. */
const TEMP_FILE_LIMIT = "1GB";

export interface Abilities {
  readonly database: string;
  readonly user: string;
  readonly schema: string;
  readonly isSuperuser: boolean;
  readonly createsRoles: boolean;
  /** Of PostgreSQL, such as 160004. */
  readonly version: number;
}

/** What the server's own database user may do. */
export async function readAbilities(db: Db): Promise<Abilities> {
  const { rows } = await sql<Abilities>`
    select current_database() as database, current_user as "user", current_schema() as schema,
           rolsuper as "isSuperuser", rolcreaterole or rolsuper as "createsRoles",
           current_setting('server_version_num')::int as version
      from pg_roles where rolname = current_user`.execute(db.withoutPlugins());
  const [found] = rows;
  if (found === undefined) throw new Error("the database does not know its user");
  return found;
}

async function hasRole(db: Db, name: string): Promise<boolean> {
  const { rows } = await sql`select from pg_roles where rolname = ${name}`.execute(db);
  return rows.length > 0;
}

/** Groups of the cluster that another user made, of which this one may not make roles members. */
export async function listForeignGroups(db: Db, abilities: Abilities): Promise<string[]> {
  // Before PostgreSQL 16, CREATEROLE is enough.
  if (abilities.isSuperuser || abilities.version < 160_000) return [];
  const { rows } = await sql<{ name: string }>`
    select rolname as name from pg_roles
     where rolname in (${SQL_READERS}, ${VIEW_OWNER})
       and not pg_has_role(oid, 'member with admin option')`.execute(db);
  return rows.map(({ name }) => name);
}

/** The group of all logins, and the owner of their views, with its rights in this database. */
export async function ensureGroups(db: Db, abilities: Abilities): Promise<void> {
  // Of the cluster: another installation in it may have made them.
  for (const name of [SQL_READERS, VIEW_OWNER]) {
    if (!(await hasRole(db, name))) await sql.raw(`create role ${name} nologin`).execute(db);
  }
  if (!abilities.isSuperuser) {
    const { rows } = await sql<{ may: boolean }>`
      select pg_has_role(${VIEW_OWNER}::name, 'usage') as may`.execute(db);
    if (rows[0]?.may !== true) await joinRole(db, VIEW_OWNER, abilities);
  }
  const schema = sql.id(abilities.schema);
  const owner = sql.id(VIEW_OWNER);
  await sql`grant usage on schema ${schema} to ${owner}`.execute(db);
  await sql`grant select (id, environment_id, connection_uuid, model) on record_models to ${owner}`.execute(
    db,
  );
  await sql`
    grant select (model_id, sequence, record_id, document, first_seen_at, last_modified_at, deleted_at, pruned_at)
       on records to ${owner}`.execute(db);
  await sql`
    grant select (uuid, environment_id, integration_id, connection_id, deleted_at)
       on connections to ${owner}`.execute(db);
  await sql`grant select (id, unique_key) on integrations to ${owner}`.execute(db);
}

/** The rights of a role, which ending its sessions and dropping what it owns take; a superuser has them. */
async function joinRole(db: Db, role: string, { version }: Abilities): Promise<void> {
  const options = version >= 160_000 ? " with inherit true, set true" : "";
  await sql.raw(`grant ${role} to current_user${options}`).execute(db);
}

/** Takes from everybody what no reader may have, where the server's user owns it. */
export async function closeDatabase(db: Db, { database, schema }: Abilities): Promise<void> {
  const { rows } = await sql<{ ownsDatabase: boolean; ownsSchema: boolean }>`
    select pg_has_role(d.datdba, 'usage') as "ownsDatabase",
           (select pg_has_role(nspowner, 'usage') from pg_namespace where nspname = ${schema}) as "ownsSchema"
      from pg_database d where datname = ${database}`.execute(db.withoutPlugins());
  if (rows[0]?.ownsDatabase === true) {
    await sql`revoke temporary on database ${sql.id(database)} from public`.execute(db);
  }
  if (rows[0]?.ownsSchema === true) {
    await sql`revoke create on schema ${sql.id(schema)} from public`.execute(db);
  }
}

export interface Excess {
  readonly temporary: boolean;
  /** Schemas in which the role could make tables. */
  readonly schemas: readonly string[];
  /** Tables of the server that it could read or write. */
  readonly tables: readonly string[];
}

/** What a role may do in the database although it should not, at most ten of each. */
export async function findExcess(db: Db, role: string): Promise<Excess> {
  const name = sql`${role}::name`;
  const { rows } = await sql<Excess>`
    select has_database_privilege(${name}, current_database(), 'temporary') as temporary,
           array(select nspname::text from pg_namespace
                  where has_schema_privilege(${name}, oid, 'create') limit 10) as schemas,
           array(select c.oid::regclass::text from pg_class c
                   join pg_class records on records.oid = 'records'::regclass
                  where c.relkind in ('r', 'p') and c.relnamespace = records.relnamespace
                    and has_any_column_privilege(${name}, c.oid, 'select, insert, update') limit 10) as tables
  `.execute(db);
  return rows[0] ?? { temporary: false, schemas: [], tables: [] };
}

/** Makes the role, with what it begins its sessions with, and its empty schema of the same name. */
export async function createLogin(
  db: Db,
  { role, verifier }: { readonly role: string; readonly verifier: string },
  abilities: Abilities,
): Promise<void> {
  const options = `login noinherit connection limit ${SESSIONS} in role ${SQL_READERS}`;
  await sql.raw(`create role ${role} with ${options} password ${literal(verifier)}`).execute(db);
  if (!abilities.isSuperuser) await joinRole(db, role, abilities);
  await sql.raw(`create schema ${role}`).execute(db);
  await sql.raw(`grant usage on schema ${role} to ${role}, ${VIEW_OWNER}`).execute(db);
  // An owner of views needs it where they are.
  await sql.raw(`grant create on schema ${role} to ${VIEW_OWNER}`).execute(db);
  const known = { ...settings, ...newerSettings(abilities), search_path: role };
  for (const [name, value] of Object.entries(known)) {
    await sql.raw(`alter role ${role} set ${name} = ${literal(value)}`).execute(db);
  }
  if (await maySetTempFileLimit(db, abilities)) {
    await sql.raw(`alter role ${role} set temp_file_limit = '${TEMP_FILE_LIMIT}'`).execute(db);
  }
}

function newerSettings({ version }: Abilities): Readonly<Record<string, string>> {
  return version >= 170_000 ? { transaction_timeout: "5min" } : {};
}

async function maySetTempFileLimit(db: Db, { isSuperuser, version }: Abilities): Promise<boolean> {
  if (isSuperuser) return true;
  if (version < 150_000) return false;
  const { rows } = await sql<{ may: boolean }>`
    select has_parameter_privilege('temp_file_limit', 'set') as may`.execute(db);
  return rows[0]?.may === true;
}

/** The role can sign in, with this password alone. */
export async function setPassword(
  db: Db,
  { role, verifier }: { readonly role: string; readonly verifier: string },
): Promise<void> {
  await sql.raw(`alter role ${role} with login password ${literal(verifier)}`).execute(db);
}

/** Nobody signs in as the role any more; its sessions are another matter. */
export async function closeLogin(db: Db, role: string): Promise<void> {
  if (!(await hasRole(db, role))) return;
  await sql.raw(`alter role ${role} with nologin`).execute(db);
}

/** It reads nothing any more, also on replicas, where the server cannot end its sessions. */
export async function revokeViews(
  db: Db,
  { role, schema }: { readonly role: string; readonly schema: string },
): Promise<void> {
  const { rows } = await sql`select from pg_namespace where nspname = ${schema}`.execute(db);
  if (rows.length === 0 || !(await hasRole(db, role))) return;
  await sql.raw(`revoke all on all tables in schema ${schema} from ${role}`).execute(db);
  await sql.raw(`revoke all on schema ${schema} from ${role}`).execute(db);
}

/** Undefined when the database does not have the role. */
export async function canSignIn(db: Db, role: string): Promise<boolean | undefined> {
  const { rows } = await sql<{ may: boolean }>`
    select rolcanlogin as may from pg_roles where rolname = ${role}`.execute(db);
  return rows[0]?.may;
}

/** How many there were. */
export async function endSessions(db: Db, role: string): Promise<number> {
  const { rows } = await sql`
    select pg_terminate_backend(pid) from pg_stat_activity where usename = ${role}`.execute(db);
  return rows.length;
}

/** Drops the schema with its views. */
export async function dropSchema(db: Db, schema: string): Promise<void> {
  await sql`set local lock_timeout = '2s'`.execute(db);
  await sql.raw(`drop schema if exists ${schema} cascade`).execute(db);
}

/** What it has managed to make in this database, such as large objects, and its rights. */
export async function dropOwned(db: Db, role: string): Promise<void> {
  if (await hasRole(db, role)) await sql.raw(`drop owned by ${role}`).execute(db);
}

/** False when it owns something in another database. */
export async function dropRole(db: Db, role: string): Promise<boolean> {
  const { rows } = await sql`
    select from pg_shdepend d join pg_roles r on r.oid = d.refobjid
     where d.refclassid = 'pg_authid'::regclass and r.rolname = ${role} limit 1`.execute(db);
  if (rows.length > 0) return false;
  await sql.raw(`drop role if exists ${role}`).execute(db);
  return true;
}

/** See `SUSPEND_LOCK_HOLDERS`. */
export async function suspendLockHolders(db: Db): Promise<void> {
  await sql.raw(SUSPEND_LOCK_HOLDERS).execute(db);
}

/** Ends sessions of logins that are in a transaction for longer than it takes to read; how many. */
export async function endLongSessions(
  db: Db,
  { roles, longestMs }: { readonly roles: readonly string[]; readonly longestMs: number },
): Promise<number> {
  const { rows } = await sql`
    select pg_terminate_backend(pid) from pg_stat_activity
     where usename = any(${roles}::text[]) and xact_start < now() - make_interval(secs => ${longestMs / 1000}::float8)`.execute(
    db,
  );
  return rows.length;
}
