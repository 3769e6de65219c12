import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, beforeEach, expect, inject, test } from "vitest";
import { environmentDeleted } from "#environments";
import {
  type ConnectionUuid,
  type EnvironmentContext,
  MINUTE,
  newTimeId,
  on,
  type RunId,
} from "#foundation";
import { insertTestConnection, insertTestIntegration } from "#functions/testing";
import { records } from "#records";
import { deleteRecords, saveRecords } from "#records/testing";
import { type TestApp, testApp } from "#testing";
import { dropAccess, endSqlAccessOfEnvironment } from "./end-access.ts";
import { guard, suspendWhileOff } from "./guard-logins.ts";
import { sqlAccess } from "./index.ts";
import { requirePasswords, signIn } from "./testing/index.ts";
import { followModels } from "./views/follow-models.ts";

let app: TestApp;
let ctx: EnvironmentContext;
let connection: ConnectionUuid;
const clients: pg.Client[] = [];

const writer = { runId: newTimeId<RunId>(new Date()), fence: 1 };

beforeAll(async () => {
  app = await testApp({
    slices: [sqlAccess, records],
    settings: {
      recordStorage: "plain",
      sqlAccess: { url: "postgres://replica.example.com:6432/app?sslmode=verify-full" },
    },
    hooks: [on(environmentDeleted, endSqlAccessOfEnvironment)],
    caller: async ({ signal }) => ({ ...ctx, signal }),
  });
  await requirePasswords();
});
afterAll(async () => {
  for (const client of clients) await client.end().catch(() => undefined);
  for (const { role } of await listRoles()) await dropAccess(app.ctx, role);
  await app[Symbol.asyncDispose]();
});
beforeEach(async () => {
  ctx = await app.addEnvironment();
  const integration = await insertTestIntegration(ctx, "crm");
  connection = (await insertTestConnection(ctx, integration, "customer-1")).uuid;
});

async function listRoles(): Promise<{ role: string }[]> {
  return (await app.database.pool.query("select role_name as role from record_sql_access")).rows;
}

async function save(model: string, texts: Readonly<Record<string, unknown>>, of = connection) {
  const ids = Object.keys(texts);
  const lines = ids.map((id) => Buffer.from(JSON.stringify({ id, text: texts[id] })));
  await saveRecords(ctx, { connection: of, model, writer, ids, lines });
}

async function call(method: "GET" | "POST" | "DELETE", path = "/sql-access") {
  const headers = { "provider-config-key": "crm", "connection-id": "customer-1" };
  const response = await app.server.inject({ method, url: `/records${path}`, headers });
  const text = response.body;
  return { status: response.statusCode, text, body: text === "" ? undefined : JSON.parse(text) };
}

interface Login {
  readonly role: string;
  readonly password: string;
}

async function create(): Promise<Login> {
  const { status, text, body } = await call("POST");
  expect(status, text).toBe(201);
  return body.data;
}

async function connect(login: Login): Promise<pg.Client> {
  const client = await signIn(app.database.connectionString, login);
  clients.push(client);
  return client;
}

async function canConnect(login: Login): Promise<boolean> {
  const client = await signIn(app.database.connectionString, login).catch(() => undefined);
  await client?.end();
  return client !== undefined;
}

/** As the worker does after a revocation. */
async function dropEnded(): Promise<void> {
  const { rows } = await app.database.pool.query(
    "select role_name as role from record_sql_access where ended_at is not null",
  );
  for (const { role } of rows) await dropAccess(app.ctx, role);
}

async function follow(): Promise<void> {
  app.clock.advance(MINUTE);
  while ((await followModels.claim(app.ctx, () => undefined)).claimed > 0);
}

test("views have what the API lists: of every connection and variant, with deleted records", async () => {
  await save("Contact", { "1": "ä", "2": [null, 0.1], "3": { deep: true } });
  await save("Contact::eu", { "1": "variant" });
  await deleteRecords(ctx, { connection, model: "Contact", writer, ids: ["3"] });
  const listed = await call("GET", "?model=Contact");

  const reader = await connect(await create());
  const { rows } = await reader.query(
    `select id, integration, connection_id, model, variant, data,
            to_char(last_modified_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') || '+00:00' as modified,
            deleted_at is not null as deleted
       from contact where variant = 'base' order by last_modified_at, id`,
  );

  const expected = listed.body.records.map(
    ({
      _svc_metadata: metadata,
      ...data
    }: {
      id: string;
      _svc_metadata: Record<string, string>;
    }) => ({
      ...{ id: data.id, integration: "crm", connection_id: "customer-1" },
      ...{ model: "Contact", variant: "base", data },
      modified: metadata["last_modified_at"],
      deleted: metadata["deleted_at"] !== null,
    }),
  );
  expect(expected).toHaveLength(3);
  expect(rows).toEqual(expected);
  const variants = await reader.query("select distinct variant from contact order by 1");
  expect(variants.rows).toEqual([{ variant: "base" }, { variant: "eu" }]);
});

test("the password is shown once; what is shown later says who made the login, and where it is", async () => {
  await save("Contact", { "1": "a" });
  const created = await call("POST");
  const again = await call("POST");
  const shown = await call("GET");

  const { password, url, role } = created.body.data;
  expect(url).toBe(
    `postgres://${role}:${password}@replica.example.com:6432/app?sslmode=verify-full`,
  );
  expect(again).toMatchObject({ status: 409, body: { error: { code: "conflict" } } });
  expect(shown.text).not.toContain(password);
  expect(shown.body.data).toMatchObject({
    ...{ state: "active", host: "replica.example.com", port: 6432, database: "app" },
    ...{ role, schema: role, views: [{ name: "contact", model: "Contact" }] },
  });
  const { rows } = await app.database.pool.query(
    "select rolpassword from pg_authid where rolname = $1",
    [role],
  );
  expect(rows[0]?.rolpassword).toMatch(/^SCRAM-SHA-256\$4096:/);
});

test("a new model gets its view within a minute, one that is gone loses it", async () => {
  await save("Contact", { "1": "a" });
  const reader = await connect(await create());
  await save("Deal", { "1": "b" });
  await follow();
  const deals = await reader.query("select data ->> 'text' as text from deal");
  await app.database.pool.query("delete from record_models where model = 'Contact'");
  await follow();

  expect(deals.rows).toEqual([{ text: "b" }]);
  await expect(reader.query("select from contact")).rejects.toThrow(/does not exist/);
  expect((await call("GET")).body.data.views).toEqual([{ name: "deal", model: "Deal" }]);
});

test("models with hostile names have views, each with its own records", async () => {
  const names = [
    ...['a"; drop table records; --', "Robert'); --", "日本", "日本語", "x".repeat(200), "user"],
    ...["PgClass", "Contact", "contact", "GithubIssue", "42", "constructor", "__proto__"],
  ];
  for (const name of names) await save(name, { "1": name });
  const reader = await connect(await create());
  const { views } = (await call("GET")).body.data;

  for (const { name, model } of views) {
    const { rows } = await reader.query(`select model, data ->> 'text' as text from ${name}`);
    expect(rows, name).toEqual([{ model, text: model }]);
  }
  expect(views.map(({ model }: { model: string }) => model).toSorted()).toEqual(names.toSorted());
  const byModel = new Map(
    views.map(({ name, model }: { name: string; model: string }) => [model, name]),
  );
  expect(byModel.get("GithubIssue")).toBe("github_issue");
  expect(byModel.get("user")).toBe("user_records");
});

test("integrations that share the name of a model share its view, and say which one a record is of", async () => {
  const shop = await insertTestIntegration(ctx, "shop");
  const other = (await insertTestConnection(ctx, shop, "customer-2")).uuid;
  await save("Contact", { "1": "crm" });
  await save("Contact", { "1": "shop" }, other);

  const reader = await connect(await create());
  const { rows } = await reader.query(
    "select integration, connection_id, data ->> 'text' as text from contact order by 1",
  );

  expect(rows).toEqual([
    { integration: "crm", connection_id: "customer-1", text: "crm" },
    { integration: "shop", connection_id: "customer-2", text: "shop" },
  ]);
});

test("a revoked login is out within a second, and leaves nothing behind", async () => {
  await save("Contact", { "1": "a" });
  const login = await create();
  const reader = await connect(login);
  const ended = new Promise((resolve) => reader.once("end", resolve));
  const running = reader.query("select pg_sleep(30)").catch((error: Error) => error.message);

  const startedAt = performance.now();
  const revoked = await call("DELETE");
  await ended;
  const tookMs = performance.now() - startedAt;
  const signsIn = await canConnect(login);
  await dropEnded();

  expect(revoked.status).toBe(204);
  expect(tookMs).toBeLessThan(1000);
  expect(await running).toMatch(/terminat/);
  expect(signsIn).toBe(false);
  const { rows } = await app.database.pool.query(
    `select (select count(*) from pg_roles where rolname = $1)::int as roles,
            (select count(*) from pg_namespace where nspname = $1)::int as schemas,
            (select count(*) from record_sql_access where role_name = $1)::int as rows`,
    [login.role],
  );
  expect(rows).toEqual([{ roles: 0, schemas: 0, rows: 0 }]);
  expect((await call("GET")).body).toEqual({ data: null });
  expect((await call("DELETE")).status).toBe(404);
});

test("rotation ends the password before it and its sessions; the new one works", async () => {
  const login = await create();
  const reader = await connect(login);
  const ended = new Promise((resolve) => reader.once("end", resolve));

  const { body } = await call("POST", "/sql-access/rotate");
  await ended;

  expect(body.data.role).toBe(login.role);
  expect(await canConnect(login)).toBe(false);
  expect(await canConnect(body.data)).toBe(true);
});

test("with its environment a login goes, also while somebody reads", async () => {
  await save("Contact", { "1": "a" });
  const login = await create();
  const reader = await connect(login);
  await reader.query("begin; select * from contact");

  await ctx.hooks.tell(environmentDeleted, ctx, ctx.environment);
  await dropEnded();

  expect(await canConnect(login)).toBe(false);
  const { rows } = await app.database.pool.query("select from pg_roles where rolname = $1", [
    login.role,
  ]);
  expect(rows).toEqual([]);
});

test("what a login owns in another database keeps its role, which cannot sign in", async () => {
  const login = await create();
  const { url } = inject("databaseServer");
  const elsewhere = await signIn(url, login);
  await elsewhere.query("set default_transaction_read_only = off");
  const { rows: made } = await elsewhere.query("select lo_create(0) as id");
  await elsewhere.end();
  await call("DELETE");
  await dropEnded();

  expect(await canConnect(login)).toBe(false);
  expect(await listRoles()).not.toContainEqual({ role: login.role });
  const administrator = new pg.Client({ connectionString: url });
  await administrator.connect();
  await administrator.query(`select lo_unlink($1)`, [made[0].id]);
  await administrator.query(`drop role ${login.role}`);
  await administrator.end();
});

test("a login that holds an advisory lock is suspended until it gets a new password", async () => {
  const login = await create();
  const other = await createOther();
  const reader = await connect(login);
  const ended = new Promise((resolve) => reader.once("end", resolve));
  await reader.query("select pg_advisory_lock(7263894410)");

  await guard(app.ctx);
  await ended;
  const signsIn = await canConnect(login);
  const { state } = (await call("GET")).body.data;
  const { body } = await call("POST", "/sql-access/rotate");

  expect([signsIn, state, body.data.state]).toEqual([false, "suspended", "active"]);
  expect(await canConnect(body.data)).toBe(true);
  expect(await canConnect(other)).toBe(true);
});

/** Of another environment. */
async function createOther(): Promise<Login> {
  const own = ctx;
  ctx = await app.addEnvironment();
  const login = await create();
  ctx = own;
  return login;
}

test("transactions that last are ended, regardless of what the session has set", async () => {
  const reader = await connect(await create());
  const ended = new Promise((resolve) => reader.once("end", resolve));
  await reader.query("set statement_timeout = 0; set idle_in_transaction_session_timeout = 0");
  await reader.query("begin; select 1");
  await sleep(20);

  await guard(app.ctx, 10);

  await ended;
});

test("without the setting nothing is offered, and nobody signs in; what is there can be revoked", async () => {
  const login = await create();
  ctx = { ...ctx, settings: { ...ctx.settings, sqlAccess: undefined } };

  await suspendWhileOff(ctx);
  const answers = [await call("GET"), await call("POST"), await call("POST", "/sql-access/rotate")];

  expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
  expect(answers[0]?.body.error).toMatchObject({ code: "feature_disabled" });
  expect(answers[0]?.text).toContain("SVC_SQL_ACCESS=on");
  expect(await canConnect(login)).toBe(false);
  expect((await call("DELETE")).status).toBe(204);
});

test("a thousand environments are followed in fifty claims", async () => {
  const { pool } = app.database;
  await pool.query("delete from record_sql_access");
  await pool.query(
    `with made as (
       insert into environments (id, account_id, name, created_at)
       select gen_random_uuid(), $1, 'many-' || n, now() from generate_series(1, 1000) n returning id)
     insert into record_sql_access
       (role_name, environment_id, schema_name, database_oid, created_at, password_set_at, views_version, follow_at)
     select 'none_' || id, id, 'none_' || id, (select oid from pg_database where datname = current_database()),
            now(), now(), 1, $2 from made`,
    [ctx.environment.accountId, app.clock.now()],
  );

  app.clock.advance(MINUTE);
  let claims = 0;
  while ((await followModels.claim(app.ctx, () => undefined)).claimed > 0) claims += 1;

  expect(claims).toBe(50);
  await pool.query("delete from record_sql_access");
});
