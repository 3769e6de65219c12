import type pg from "pg";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { EnvironmentContext } from "#foundation";
import { type TestApp, testApp } from "#testing";
import { dropAccess } from "./end-access.ts";
import { sqlAccess } from "./index.ts";
import { requirePasswords, signIn } from "./testing/index.ts";

// Roles are of the cluster, and in no dump: what the table says of them need not be so.

interface Login {
  readonly role: string;
  readonly password: string;
}

let app: TestApp;
let ctx: EnvironmentContext;

beforeAll(async () => {
  app = await testApp({
    slices: [sqlAccess],
    settings: { recordStorage: "plain", sqlAccess: { url: "postgres://db.example.com/app" } },
    caller: async ({ signal }) => ({ ...ctx, signal }),
  });
  await requirePasswords();
});
afterAll(async () => {
  const { rows } = await app.database.pool.query("select role_name as role from record_sql_access");
  for (const { role } of rows) await dropAccess(app.ctx, role);
  await app[Symbol.asyncDispose]();
});
beforeEach(async () => {
  ctx = await app.addEnvironment();
});

async function call(method: "GET" | "POST", path = "/sql-access") {
  const response = await app.server.inject({ method, url: `/records${path}` });
  return { status: response.statusCode, body: response.json() };
}

async function create(): Promise<Login> {
  return (await call("POST")).body.data;
}

async function canConnect(login: Login): Promise<boolean> {
  const client = await signIn(app.database.connectionString, login).catch(() => undefined);
  await client?.end();
  return client !== undefined;
}

test("a copy of the database does not touch the login of the original, and makes another one", async () => {
  const login = await create();
  await using stack = new AsyncDisposableStack();
  const copy = await testApp({
    slices: [sqlAccess],
    settings: app.ctx.settings,
    caller: async ({ signal }) => ({ ...ctx, db: copy.ctx.db, signal }),
  });
  stack.use(copy);
  // The rows are a copy's; roles are of the cluster, and the row names the original's.
  const { rows } = await app.database.pool.query("select * from environments where id = $1", [
    ctx.environment.id,
  ]);
  await copyRow(copy.database.pool, "accounts", {
    id: rows[0].account_id,
    name: "copy",
    created_at: new Date(),
  });
  await copyRow(copy.database.pool, "environments", rows[0]);
  const access = await app.database.pool.query(
    "select * from record_sql_access where role_name = $1",
    [login.role],
  );
  await copyRow(copy.database.pool, "record_sql_access", {
    ...access.rows[0],
    views: JSON.stringify(access.rows[0].views),
  });
  const inCopy = async (method: "GET" | "POST", url: string) =>
    (await copy.server.inject({ method, url })).json();

  const before = await inCopy("GET", "/records/sql-access");
  const { data } = await inCopy("POST", "/records/sql-access/rotate");

  expect(before.data.state).toBe("needs_new_password");
  expect(data).toMatchObject({ state: "active" });
  expect(data.role).not.toBe(login.role);
  expect(await canConnect(login)).toBe(true);
  const copied = await signIn(copy.database.connectionString, data);
  await copied.end();
  await dropAccess(copy.ctx, data.role);
});

async function copyRow(pool: pg.Pool, table: string, row: Record<string, unknown>): Promise<void> {
  const names = Object.keys(row).join(", ");
  const places = Object.keys(row).map((_, index) => `$${index + 1}`);
  await pool.query(
    `insert into ${table} (${names}) values (${places.join(", ")})`,
    Object.values(row),
  );
}

test("a role that is missing after a restore needs a new password", async () => {
  const login = await create();
  await app.database.pool.query(
    `drop schema ${login.role} cascade; drop owned by ${login.role}; drop role ${login.role}`,
  );

  const before = (await call("GET")).body.data.state;
  const { body } = await call("POST", "/sql-access/rotate");

  expect([before, body.data.state]).toEqual(["needs_new_password", "active"]);
  expect(await canConnect(body.data)).toBe(true);
});
