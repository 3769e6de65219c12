import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type EnvironmentContext, SECOND } from "#foundation";
import { sqlAccess } from "#sql-access";
import { dropAccess, guard, requirePasswords, signIn } from "#sql-access/testing";
import { type TestApp, testApp } from "#testing";
import { problems } from "./index.ts";
import { sweepProblems } from "./sweep-problems.ts";
import { listQueued, setWebhooks } from "./testing/store.ts";

let app: TestApp;
let ctx: EnvironmentContext;

beforeAll(async () => {
  app = await testApp({
    slices: [problems, sqlAccess],
    settings: { recordStorage: "plain", sqlAccess: { url: "postgres://db.example.com/app" } },
    caller: async ({ signal }) => ({ ...ctx, signal }),
  });
  await requirePasswords();
});
beforeEach(async () => {
  ctx = await app.addEnvironment();
  const url = "https://hooks.example.com/in";
  await setWebhooks(ctx.db, ctx.environment.id, { url, onProblem: true });
});
afterAll(async () => {
  const { rows } = await app.database.pool.query("select role_name as role from record_sql_access");
  for (const { role } of rows) await dropAccess(app.ctx, role);
  await app[Symbol.asyncDispose]();
});

async function call(method: "GET" | "POST" | "DELETE", url: string) {
  const response = await app.server.inject({ method, url });
  return response.body === "" ? undefined : response.json().data;
}

async function sweep(): Promise<Record<string, unknown>[]> {
  app.clock.advance(SECOND);
  await guard(app.ctx);
  await sweepProblems(ctx);
  return await call("GET", "/problems");
}

async function holdLock(login: { role: string; password: string }): Promise<void> {
  const reader = await signIn(app.database.connectionString, login);
  await reader.query("select pg_advisory_lock(7263894410)");
}

test("a suspended login is a problem until it gets a new password, or is revoked", async () => {
  await holdLock(await call("POST", "/records/sql-access"));
  const opened = await sweep();
  const later = await sweep();
  const renewed = await call("POST", "/records/sql-access/rotate");
  const afterRotation = await sweep();
  await holdLock(renewed);
  const again = await sweep();
  await call("DELETE", "/records/sql-access");
  const afterRevocation = await sweep();

  expect(opened).toMatchObject([
    {
      ...{ kind: "sql_access_suspended", severity: "error", state: "open", count: 1 },
      title: "The login for SQL access is suspended",
      cause: expect.stringContaining(renewed.role),
    },
  ]);
  const [{ id, since } = { id: undefined, since: undefined }] = opened;
  expect(later).toMatchObject([{ id, since, state: "open" }]);
  expect(afterRotation).toMatchObject([{ id, state: "resolved" }]);
  expect(again).toMatchObject([{ id, state: "open" }]);
  expect(afterRevocation).toMatchObject([{ id, state: "resolved" }]);
  const operations = ["opened", "resolved", "opened", "resolved"];
  expect(await listQueued(ctx, "problem")).toMatchObject(
    operations.map((operation) => ({ operation, problem: { id, kind: "sql_access_suspended" } })),
  );
});
