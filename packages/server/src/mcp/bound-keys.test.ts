import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { actions } from "#actions";
import { createConnection } from "#connections";
import { endKeysOfEndUser } from "#environments";
import type { EnvironmentContext } from "#foundation";
import { deployFunctions, functions } from "#functions";
import { newAction, newUpload } from "#functions/testing";
import { createIntegration } from "#integrations";
import { type KeyedServer, startKeyedServer } from "#testing";
import { mcp } from "./slice.ts";

let server: KeyedServer;
let ctx: EnvironmentContext;
let full: string;
beforeAll(async () => {
  server = await startKeyedServer({ slices: [mcp, actions, functions] });
  ({ ctx } = server.installation);
  full = await server.newKey(ctx, "environment:*");
  for (const key of ["crm", "mail"]) {
    const integration = await createIntegration(ctx, {
      ...{ provider: "unauthenticated", uniqueKey: key, displayName: undefined },
      ...{ forwardWebhooks: true, credentials: undefined, custom: {}, settings: {} },
      integrationConfig: {},
    });
    for (const endUserId of ["ada", "bob"]) {
      await createConnection(ctx, {
        ...{ integration, connectionId: `${endUserId}-${key}`, metadata: undefined },
        ...{ connectionConfig: undefined, webhookUrlOverride: undefined },
        tags: { end_user_id: endUserId },
        credentials: { type: "NONE" },
      });
    }
  }
  const flowConfigs = [newAction("one"), newAction("two", { providerConfigKey: "mail" })];
  await deployFunctions(ctx, newUpload({ flowConfigs }));
});
afterAll(async () => await server[Symbol.asyncDispose]());

const keys = "/environment/api-keys";

async function make(body: object) {
  return await server.call(full, "POST", keys, { display_name: randomUUID(), ...body });
}

async function list(key: string, integration: string, connection: string) {
  const { statusCode: status, body } = await server.inject({
    ...{ method: "POST", url: "/mcp", payload: { jsonrpc: "2.0", id: 1, method: "tools/list" } },
    headers: {
      ...{ authorization: `Bearer ${key}`, accept: "application/json, text/event-stream" },
      ...{ "provider-config-key": integration, "connection-id": connection },
    },
  });
  return { status, body: JSON.parse(/^data: (.*)$/m.exec(body)?.[1] ?? body) };
}

const scopes = ["environment:mcp"];

test("a key that is bound to an end user reaches that user's connections, and no other", async () => {
  const bound = await make({ scopes, bound_to: { end_user_id: "ada" } });
  const narrow = await make({ scopes, bound_to: { end_user_id: "ada", integrations: ["crm"] } });
  const { secret } = bound.body.data;

  const own = await list(secret, "crm", "ada-crm");
  const mail = await list(secret, "mail", "ada-mail");
  const foreign = await list(secret, "crm", "bob-crm");
  const none = await list(secret, "crm", "eve-crm");
  const kept = await list(narrow.body.data.secret, "crm", "ada-crm");
  const outside = await list(narrow.body.data.secret, "mail", "ada-mail");

  expect(bound.body.data.bound_to).toEqual({ end_user_id: "ada" });
  expect([own, mail, kept].map(({ status }) => status)).toEqual([200, 200, 200]);
  for (const refused of [foreign, none, outside]) {
    expect(refused.body.error.data.code).toBe("unknown_connection");
  }
  expect(foreign.body.error.message.replace("bob", "eve")).toBe(none.body.error.message);
});

test("such a key has no scope but that of tools, also later", async () => {
  const wider = await make({ bound_to: { end_user_id: "ada" } });
  const bound = await make({ scopes, bound_to: { end_user_id: "ada" } });
  const { id: key_id } = bound.body.data;
  const body = { key_id, scopes: ["environment:*"] };

  const changed = await server.call(full, "PATCH", keys, body);
  const listed = await server.call(full, "GET", keys);

  expect([wider.status, changed.status]).toEqual([400, 400]);
  const found = listed.body.data.find(({ id }: { id: string }) => id === key_id);
  expect(found).toMatchObject({ scopes, bound_to: { end_user_id: "ada" } });
});

test("the keys of an end user who is erased work no more", async () => {
  const bound = await make({ scopes, bound_to: { end_user_id: "bob" } });
  const now = ctx.clock.now();

  await endKeysOfEndUser(ctx.db, ctx.environment.id, { endUserId: "bob", now });
  const refused = await list(bound.body.data.secret, "crm", "bob-crm");

  expect(refused.status).toBe(401);
});
