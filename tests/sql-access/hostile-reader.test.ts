import { randomBytes } from "node:crypto";
import { type RunningServer, readConfig, startServer } from "@jackfield/server";
import pg from "pg";
import { afterAll, beforeAll, beforeEach, expect, inject, test, vi } from "vitest";
import {
  administer,
  withDatabase,
} from "../../packages/server/src/foundation/testing/administer.ts";
import { createEmptyDatabase } from "../../packages/server/src/foundation/testing/index.ts";
import { requirePasswords, signIn } from "../../packages/server/src/sql-access/testing/index.ts";
import { makeDataFolder } from "../launcher/data-folder.ts";
import { saveRecords } from "./save-records.ts";

const PATIENT = { timeout: 20_000, interval: 50 };

// A login that an environment was given tries what a login of a database can: the server's own user is no superuser, as
// in production, and the server works on meanwhile.

const stack = new AsyncDisposableStack();
const suffix = randomBytes(4).toString("hex");
const serverUser = { role: `server_${suffix}`, password: randomBytes(12).toString("hex") };
let connectionString: string;
let env: Record<string, string>;
let server: RunningServer;
let keys: { dev: string; prod: string };
let login: { role: string; password: string };
let otherLogin: { role: string; password: string };
let revokedRole: string;
let reader: pg.Client;
let administrator: pg.Client;

async function call(method: string, path: string, of = keys.dev) {
  const headers = { authorization: `Bearer ${of}` };
  const response = await fetch(`${server.url}${path}`, { method, headers });
  const text = await response.text();
  return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
}

/** As the operator does where another installation of the cluster, here of other tests, has made them. */
async function ensureGroups(url: string): Promise<void> {
  for (const group of ["jackfield_sql_readers", "jackfield_sql_owner"]) {
    await administer(
      url,
      `do $$ begin create role ${group}; exception when duplicate_object or unique_violation then null; end $$`,
    );
    await administer(url, `grant ${group} to ${serverUser.role} with admin option`);
  }
}

async function start(): Promise<RunningServer> {
  const { config, problems } = readConfig(env);
  if (config === undefined) throw new Error(problems.join("\n"));
  return await startServer({ config });
}

beforeAll(async () => {
  const { url } = inject("databaseServer");
  await requirePasswords();
  await administer(
    url,
    `create role ${serverUser.role} login createrole password '${serverUser.password}'`,
  );
  await ensureGroups(url);
  const database = await createEmptyDatabase();
  const name = new URL(database.connectionString).pathname.slice(1);
  await administer(url, `alter database ${name} owner to ${serverUser.role}`);
  const own = new URL(withDatabase(url, name));
  own.username = serverUser.role;
  own.password = serverUser.password;
  connectionString = database.connectionString;
  const folder = stack.use(await makeDataFolder());
  env = {
    SVC_DATA_DIR: folder.path,
    SVC_DATABASE_URL: own.href,
    SVC_PORT: "0",
    SVC_LOG_LEVEL: "silent",
    SVC_RECORD_STORAGE: "plain",
    SVC_SQL_ACCESS: "on",
  };
  server = await start();
  stack.defer(async () => {
    await database[Symbol.asyncDispose]();
    await administer(url, `drop owned by ${serverUser.role}`);
    await administer(url, `drop role ${serverUser.role}`);
  });
  stack.defer(async () => await server[Symbol.asyncDispose]());
  administrator = new pg.Client({ connectionString });
  await administrator.connect();
  stack.defer(async () => await administrator.end());
  const { newKeys } = server;
  if (newKeys === undefined) throw new Error("this database has an installation already");
  keys = newKeys;
  await saveRecords(administrator);
  login = await make("POST", "/records/sql-access");
  otherLogin = await make("POST", "/records/sql-access", keys.prod);
  reader = await signIn(connectionString, login);
});
beforeEach(async () => {
  await reader.query("set default_transaction_read_only = off");
});
afterAll(async () => {
  await reader.end().catch(() => undefined);
  for (const each of [keys.dev, keys.prod]) await call("DELETE", "/records/sql-access", each);
  const areGone = async () => (await countRoles([login.role, otherLogin.role])) === 0;
  await vi.waitUntil(areGone, PATIENT);
  await stack[Symbol.asyncDispose]();
});

async function make(method: string, path: string, of = keys.dev) {
  const { status, body } = await call(method, path, of);
  if (status >= 300) throw new Error(JSON.stringify(body));
  return body.data;
}

async function countRoles(roles: readonly string[]): Promise<number> {
  const { rows } = await administrator.query(
    "select count(*)::int as count from pg_roles where rolname = any($1)",
    [roles],
  );
  return rows[0].count;
}

test("the server's user is no superuser, and a reader sees its own environment alone", async () => {
  const { rows: users } = await administrator.query(
    "select rolsuper from pg_roles where rolname = $1",
    [serverUser.role],
  );
  const { rows } = await reader.query("select id from contact");

  expect(users).toEqual([{ rolsuper: false }]);
  expect(rows).toEqual([{ id: "dev" }]);
});

test("everything but reading its own views is refused, also with writes turned on", async () => {
  const refused = [
    ...["create temp table t (a int)", "create table t (a int)", "create table public.t (a int)"],
    ...["create schema s", "create function f() returns int language sql as 'select 1'"],
    ...["create extension pg_trgm", "create publication p for all tables", "create role r"],
    ...["select * from public.records", "select * from public.records_1", "table environments"],
    ...["table public.api_keys", "table public.connections", "table public.record_sql_access"],
    ...["table public.schema_migrations", "table graphile_worker._private_jobs"],
    ...["insert into contact (id) values ('x')", "update contact set id = 'x'"],
    ...["delete from contact", "drop view contact", `drop schema ${login.role} cascade`],
    ...[`select * from ${otherLogin.role}.contact`, "truncate public.records"],
    ...["do $$ begin lock table public.records; end $$"],
    ...["do $$ begin lock table contact in access exclusive mode; end $$"],
    ...["set role jackfield_sql_owner", `set role ${serverUser.role}`],
    ...[`set role ${otherLogin.role}`, "set session authorization postgres"],
    ...["table pg_authid", "table pg_shadow", "select pg_read_file('/etc/passwd')"],
    ...["copy (select 1) to '/tmp/x'", "copy (select 1) to program 'true'"],
    ...["alter system set work_mem = '1GB'", "select pg_reload_conf()"],
    ...["select public.add_record_partitions(99)", "select public.add_record_history(1)"],
    ...["alter role current_user connection limit -1", "alter role current_user createrole"],
    ...[`alter role ${otherLogin.role} password 'x'`, "checkpoint"],
    `select pg_terminate_backend(pid) from pg_stat_activity where usename = '${serverUser.role}'`,
  ];

  const outcomes = new Map<string, string>();
  for (const statement of refused) {
    const answer = await reader.query(statement).catch((error: pg.DatabaseError) => error.code);
    outcomes.set(statement, typeof answer === "string" ? answer : "DONE");
  }

  // 42501: insufficient privilege; 42P01 and 3F000: not found in its search path; 55000: a view that takes no rows.
  const allowed = new Set(["42501", "42P01", "3F000", "55000"]);
  expect([...outcomes].filter(([, outcome]) => !allowed.has(outcome))).toEqual([]);
});

test("what other sessions run is hidden, and so are passwords", async () => {
  const { rows } = await reader.query(
    "select distinct query from pg_stat_activity where usename = $1",
    [serverUser.role],
  );

  expect(rows).toEqual([{ query: "<insufficient privilege>" }]);
});

test("one login has five sessions at most", async () => {
  const sessions: pg.Client[] = [];
  let refused = "";
  for (let count = 0; count < 5; count += 1) {
    await signIn(connectionString, login).then(
      (client) => void sessions.push(client),
      (error: Error) => {
        refused = error.message;
      },
    );
  }
  for (const session of sessions) await session.end();

  expect(sessions).toHaveLength(4);
  expect(refused).toMatch(/too many connections/);
});

test("forged notices change nothing: what a process does not find stored, it does not believe", async () => {
  await reader.query("listen jackfield_due");
  await reader.query(`listen "jobs:insert"`);
  const { rows: integrations } = await administrator.query("select id from integrations");
  const far = Date.now() + 1_000_000_000;
  const forged = [
    ...[
      ["worker:migrate", '{"breaking":true,"migrationNumber":999}'],
      ["jackfield_due", ""],
    ],
    ...[
      ["jobs:insert", '{"count":100}'],
      ["jobs:insert", "no json"],
    ],
    ...["changed", "changed api_keys x", "tasks.none", "quota", "x".repeat(7000)].map((text) => [
      "jackfield_due",
      text,
    ]),
    ...integrations.map(({ id }) => ["jackfield_due", `quota i:${id} ${far} 1`]),
    ...integrations.map(({ id }) => [
      "jackfield_due",
      `quota-wait i:${id} 00000000-0000-4000-8000-000000000000 9 9`,
    ]),
  ];
  for (const [channel, text] of forged) {
    await reader.query("select pg_notify($1, $2)", [channel, text]);
  }
  await reader.query(
    "select pg_notify('jackfield_due', 'changed ' || n) from generate_series(1, 20000) n",
  );

  const limits = await make("GET", "/rate-limits");
  revokedRole = otherLogin.role;
  const spare = await call("DELETE", "/records/sql-access", keys.prod);
  await expect.poll(() => countRoles([otherLogin.role]), PATIENT).toBe(0);
  otherLogin = await make("POST", "/records/sql-access", keys.prod);

  // The queue still takes work: what was revoked has been dropped by a task.
  expect(spare.status).toBe(204);
  expect(limits).toEqual([]);
  expect(process.exitCode).toBeUndefined();
});

test("a login that takes the server's locks is out within seconds, and work continues", async () => {
  const ended = new Promise((resolve) => reader.once("end", resolve));
  await reader.query("select pg_advisory_lock(7263894410)");
  await reader.query("select pg_advisory_lock(hashtextextended('hand out problems.sweep', 0))");

  await ended;
  const { state } = await make("GET", "/records/sql-access");
  const signsIn = await signIn(connectionString, login).catch((error: Error) => error.message);
  login = await make("POST", "/records/sql-access/rotate");
  reader = await signIn(connectionString, login);

  expect(state).toBe("suspended");
  expect(signsIn).toMatch(/not permitted to log in/);
});

test("a server starts although a login holds the lock of migrations", async () => {
  await server[Symbol.asyncDispose]();
  await reader.query("select pg_advisory_lock(7263894410)");

  server = await start();
  const { state } = await make("GET", "/records/sql-access");
  login = await make("POST", "/records/sql-access/rotate");
  reader = await signIn(connectionString, login);

  expect(state).toBe("suspended");
});

test("the audit log says who made, renewed and revoked a login, and has no password", async () => {
  const audit = await administrator.query(
    "select action, outcome from audit_events where action like '%SqlAccess' order by at",
  );
  const { rows } = await administrator.query(
    "select (select string_agg(e::text, '') from audit_events e) || (select string_agg(d::text, '') from audit_details d) as text",
  );

  const actions = new Set(audit.rows.map(({ action }) => action));
  expect(actions).toEqual(new Set(["createSqlAccess", "rotateSqlAccess", "deleteSqlAccess"]));
  expect(rows[0].text).toContain(revokedRole);
  expect(rows[0].text).not.toContain(login.password);
});
