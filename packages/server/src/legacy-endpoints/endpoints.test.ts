import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { environments } from "#environments";
import type { EnvironmentContext } from "#foundation";
import { deployFunctions, functions } from "#functions";
import {
  insertTestConnection,
  insertTestIntegration,
  newAction,
  newSync,
  newUpload,
} from "#functions/testing";
import { type TestApp, testApp } from "#testing";
import { legacyEndpoints } from "./slice.ts";

let app: TestApp;
let ctx: EnvironmentContext;
let scopes: readonly string[];

beforeAll(async () => {
  app = await testApp({
    slices: [legacyEndpoints, environments, functions],
    runsFunctions: true,
    caller: async ({ signal }) => {
      const { accountId } = ctx.environment;
      return { ...ctx, signal, actor: { kind: "key", keyId: "k", accountId, scopes } };
    },
  });
});
beforeEach(async () => {
  ctx = await app.addEnvironment();
  scopes = ["environment:*"];
  const integration = await insertTestIntegration(ctx, "crm");
  await insertTestConnection(ctx, integration, "customer-1");
  const act = newAction("act", { endpoints: [{ method: "POST", path: "/crm/contacts" }] });
  const sync = newSync("contacts", { endpoints: [{ method: "GET", path: "/crm/contacts" }] });
  await deployFunctions(ctx, newUpload({ flowConfigs: [act, sync] }));
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
});

async function call(method: "GET" | "POST" | "PUT", path: string, payload?: object) {
  return await app.server.inject({
    method,
    url: `/v1${path}`,
    headers: { "connection-id": "customer-1", "provider-config-key": "crm" },
    ...(payload === undefined ? {} : { payload }),
  });
}

test("an endpoint runs its action, or lists its records, and says that it is deprecated", async () => {
  const acted = await call("POST", "/crm/contacts", { name: "Ada" });
  const listed = await call("GET", "/crm/contacts/?limit=5");

  expect([acted.statusCode, acted.json()]).toEqual([200, { name: "Ada" }]);
  expect(acted.headers).toMatchObject({
    deprecation: expect.stringMatching(/^@\d+$/),
    link: expect.stringContaining("/action/trigger"),
  });
  expect([listed.statusCode, listed.json()]).toEqual([200, { records: [], next_cursor: null }]);
});

test("what nobody declares is 404 with a message, a wrong query 400", async () => {
  const unknown = await call("PUT", "/crm/contacts");
  const wrong = await call("GET", "/crm/contacts?limit=none");

  expect(unknown.statusCode).toBe(404);
  expect(unknown.json()).toMatchObject({
    message: expect.stringContaining("PUT /crm/contacts"),
    error: { code: "not_found" },
  });
  expect([wrong.statusCode, wrong.json().error.code]).toEqual([400, "invalid_query_params"]);
});

test("a key may do there what it may do elsewhere", async () => {
  scopes = ["environment:records:read"];
  expect((await call("POST", "/crm/contacts", {})).statusCode).toBe(403);
  expect((await call("GET", "/crm/contacts")).statusCode).toBe(200);
  scopes = ["environment:actions:execute"];
  expect((await call("GET", "/crm/contacts")).statusCode).toBe(403);
});

test("no function can take the path of a connection", async () => {
  const upload = (method: "GET" | "PATCH" | "POST", path: string) =>
    newUpload({ flowConfigs: [newAction("own", { endpoints: [{ method, path }] })] });

  for (const [method, path] of [
    ["GET", "/connections/abc"],
    ["PATCH", "Connections/{id}/"],
  ] as const) {
    await expect(deployFunctions(ctx, upload(method, path))).rejects.toMatchObject({
      code: "invalid_body",
      message: expect.stringContaining("/v1/connections/{id}"),
    });
  }
  await deployFunctions(ctx, upload("POST", "/connections/abc"));
  await deployFunctions(ctx, upload("GET", "/connections/abc/items"));
});
