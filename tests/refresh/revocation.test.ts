import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type AuthSubject,
  type Credentials,
  getAuthMode,
} from "../../packages/server/src/auth-modes/index.ts";
import { startOidcServer } from "../../packages/server/src/auth-modes/testing/oidc-server.ts";
import {
  connectionTaskHandlers,
  postponeForConnections,
} from "../../packages/server/src/connections/index.ts";
import {
  environmentErasing,
  eraseEnvironments,
} from "../../packages/server/src/environments/index.ts";
import { type EnvironmentContext, on } from "../../packages/server/src/foundation/index.ts";
import {
  getIntegration,
  integrationTaskHandlers,
  toAuthSubject,
} from "../../packages/server/src/integrations/index.ts";
import { type KeyedServer, startKeyedServer } from "../../packages/server/src/testing/index.ts";

const redirectUri = "https://platform.example.com/oauth/callback";
const codeVerifier = "0123456789abcdefghijklmnopqrstuvwxyz0123456789";
const client = { client_id: "app", client_secret: "a secret of enough length for anyone" };

const oidc = await startOidcServer([
  {
    ...client,
    redirect_uris: [redirectUri],
    response_types: ["code"],
    grant_types: ["authorization_code", "refresh_token"],
    token_endpoint_auth_method: "client_secret_post",
  },
]);
let server: KeyedServer;

beforeAll(async () => {
  server = await startKeyedServer({ hooks: [on(environmentErasing, postponeForConnections)] });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await oidc[Symbol.asyncDispose]();
});

interface Connected {
  readonly subject: AuthSubject;
  readonly credentials: Credentials;
  readonly uniqueKey: string;
  readonly connectionId: string;
}

/** A connection whose tokens the authorization server has just issued. */
async function connect(ctx: EnvironmentContext, key: string, revocationUrl: string) {
  const uniqueKey = `oidc-${randomUUID()}`;
  await server.call(key, "POST", "/integrations", {
    provider: "oauth2-generic",
    unique_key: uniqueKey,
    credentials: { type: "OAUTH2", ...client },
    integration_config: {
      authorization_url: `${oidc.issuer}/auth`,
      token_url: `${oidc.issuer}/token`,
      revocation_url: revocationUrl,
      base_url: oidc.issuer,
    },
  });
  const subject = await toAuthSubject(ctx, await getIntegration(ctx, uniqueKey), {});
  const mode = getAuthMode("OAUTH2");
  const tools = { http: ctx.http, now: new Date(), signal: ctx.signal };
  const start = {
    redirectUri,
    state: "state",
    codeVerifier,
    scopesOverride: "openid,offline_access",
    authorizationParams: { prompt: "consent" },
  };
  const redirect = await mode.startAuthorization?.(subject, start, tools);
  const query = await oidc.authorize(redirect?.location ?? "", redirectUri);
  const minted = await mode.finishAuthorization?.(
    subject,
    { query, redirectUri, codeVerifier },
    tools,
  );
  const { raw: _raw, ...credentials } = minted?.credentials ?? { type: "none", raw: undefined };
  const made = await server.call(key, "POST", "/connections", {
    provider_config_key: uniqueKey,
    credentials,
  });
  expect(made.status).toBe(201);
  const connected: Connected = {
    subject,
    credentials: { ...credentials, type: "OAUTH2" },
    uniqueKey,
    connectionId: made.body.connection_id,
  };
  return connected;
}

/** Whether the authorization server still takes the refresh token. */
async function isAlive({ subject, credentials }: Connected): Promise<boolean> {
  const { ctx } = server.installation;
  const tools = { http: ctx.http, now: new Date(), signal: ctx.signal };
  const renewed = getAuthMode("OAUTH2").refresh?.(subject, credentials, tools);
  return await Promise.resolve(renewed).then(
    () => true,
    (error: { kind?: string }) => {
      expect(error.kind).toBe("revoked");
      return false;
    },
  );
}

async function bytesKept(connectionId: string): Promise<number> {
  const { rows } = await server.installation.database.pool.query(
    "select length(credentials) as bytes from connections where connection_id = $1",
    [connectionId],
  );
  return rows[0]?.bytes;
}

/** Does the work that the queue holds, as its workers would. */
async function runTasks(attempt = { number: 1, isLast: false }): Promise<void> {
  const { ctx, database } = server.installation;
  const { rows } = await database.pool.query(`
    with taken as (delete from graphile_worker._private_jobs returning task_id, payload)
    select t.identifier, taken.payload
      from taken join graphile_worker._private_tasks t on t.id = taken.task_id`);
  for (const { identifier, payload } of rows) {
    if (identifier === "connections.revoke-deleted") {
      await connectionTaskHandlers.revokeDeleted(ctx, payload, attempt);
    } else if (identifier === "integrations.remove-environment") {
      await integrationTaskHandlers.removeEnvironment(ctx, payload, attempt);
    }
  }
}

test("deleting a connection withdraws its tokens at the provider soon after, then forgets them", async () => {
  const { ctx } = server.installation;
  const key = await server.newKey(ctx, "environment:*");
  const connected = await connect(ctx, key, `${oidc.issuer}/token/revocation`);
  const { connectionId, uniqueKey } = connected;

  const deleted = await server.call(
    key,
    "DELETE",
    `/connections/${connectionId}?provider_config_key=${uniqueKey}`,
  );
  const sealedBefore = await bytesKept(connectionId);
  await runTasks();

  expect(deleted).toMatchObject({ status: 200, body: { success: true } });
  expect(sealedBefore).toBeGreaterThan(0);
  expect(await isAlive(connected)).toBe(false);
  expect(await bytesKept(connectionId)).toBe(0);
});

test.each([
  ["google-mail", {}, false],
  ["google-mail", { revoke_on_delete: true }, true],
  ["salesforce", {}, true],
  ["salesforce", { revoke_on_delete: false }, false],
])(
  "deleting a connection of %s with the settings %j has its tokens withdrawn: %j",
  async (provider, settings, isWithdrawn) => {
    const { ctx } = server.installation;
    const key = await server.newKey(ctx, "environment:*");
    const uniqueKey = `kept-${randomUUID()}`;
    await server.call(key, "POST", "/integrations", {
      ...{ provider, unique_key: uniqueKey, settings },
      credentials: { type: "OAUTH2", ...client },
    });
    const made = await server.call(key, "POST", "/connections", {
      provider_config_key: uniqueKey,
      credentials: { type: "OAUTH2", access_token: "a", refresh_token: "r" },
    });
    const { connection_id: id } = made.body;

    await server.call(key, "DELETE", `/connections/${id}?provider_config_key=${uniqueKey}`);

    expect((await bytesKept(id)) > 0).toBe(isWithdrawn);
    await server.installation.database.pool.query("delete from graphile_worker._private_jobs");
  },
);

test("a token that another connection holds is withdrawn with the last of them, wherever that is", async () => {
  const { ctx, addEnvironment } = server.installation;
  const key = await server.newKey(ctx, "environment:*");
  const otherKey = await server.newKey(await addEnvironment(), "environment:*");
  const first = await connect(ctx, key, `${oidc.issuer}/token/revocation`);
  const second = await importAgain(otherKey, first);
  const askWhose = async () => {
    const authorization = `Bearer ${first.credentials["access_token"]}`;
    return (await fetch(`${oidc.issuer}/me`, { headers: { authorization } })).status;
  };

  await remove(key, first);
  await runTasks();
  const afterFirst = await askWhose();
  const kept = await bytesKept(first.connectionId);
  await remove(otherKey, second);
  await runTasks();

  expect([afterFirst, kept]).toEqual([200, 0]);
  expect(await askWhose()).toBe(401);
});

async function importAgain(key: string, { uniqueKey, credentials }: Connected) {
  await server.call(key, "POST", "/integrations", {
    provider: "oauth2-generic",
    unique_key: uniqueKey,
    credentials: { type: "OAUTH2", ...client },
    integration_config: {
      authorization_url: `${oidc.issuer}/auth`,
      token_url: `${oidc.issuer}/token`,
      revocation_url: `${oidc.issuer}/token/revocation`,
      base_url: oidc.issuer,
    },
  });
  const made = await server.call(key, "POST", "/connections", {
    provider_config_key: uniqueKey,
    credentials,
  });
  expect(made.status).toBe(201);
  return { uniqueKey, connectionId: String(made.body.connection_id) };
}

async function remove(
  key: string,
  { uniqueKey, connectionId }: Pick<Connected, "uniqueKey" | "connectionId">,
): Promise<void> {
  const path = `/connections/${connectionId}?provider_config_key=${uniqueKey}`;
  expect((await server.call(key, "DELETE", path)).status).toBe(200);
}

test("deleting an integration withdraws the tokens of its connections with the client it had", async () => {
  const { ctx } = server.installation;
  const key = await server.newKey(ctx, "environment:*");
  const connected = await connect(ctx, key, `${oidc.issuer}/token/revocation`);

  const deleted = await server.call(key, "DELETE", `/integrations/${connected.uniqueKey}`);
  await runTasks();

  expect(deleted.status).toBe(200);
  expect(await isAlive(connected)).toBe(false);
});

test("a deleted environment is erased, keys and all, once its providers have been notified", async () => {
  const { installation } = server;
  const { ctx } = installation;
  const account = await server.newKey("account", "account:*");
  const made = await server.call(account, "POST", "/environments", { name: "doomed" });
  const { id, api_key: apiKey } = made.body.data;
  const environment = { ...ctx.environment, id };
  const inside = { ...ctx, environment };
  const connected = await connect(inside, apiKey.secret, `${oidc.issuer}/token/revocation`);

  await server.call(account, "DELETE", `/environments/${id}`);
  await runTasks();
  await eraseEnvironments(ctx);
  const before = await countRows(id);
  await runTasks();
  await eraseEnvironments(ctx);

  expect(before).toEqual({ environments: 1, keys: 1 });
  expect(await isAlive(connected)).toBe(false);
  expect(await countRows(id)).toEqual({ environments: 0, keys: 0 });
});

async function countRows(environmentId: string) {
  const { rows } = await server.installation.database.pool.query(
    `select (select count(*)::int from environments where id = $1) as environments,
            (select count(distinct environment_id)::int from data_keys where environment_id = $1) as keys`,
    [environmentId],
  );
  return rows[0];
}

test("a provider that does not hear of it holds up no delete, and in the end nothing is kept", async () => {
  const { ctx } = server.installation;
  const key = await server.newKey(ctx, "environment:*");
  const { connectionId, uniqueKey } = await connect(ctx, key, "http://127.0.0.1:9/revoke");
  const path = `/connections/${connectionId}?provider_config_key=${uniqueKey}`;

  const deleted = await server.call(key, "DELETE", path);
  const { rows } = await server.installation.database.pool.query(
    "select payload from graphile_worker._private_jobs",
  );
  const first = connectionTaskHandlers.revokeDeleted(ctx, rows[0].payload, {
    number: 1,
    isLast: false,
  });
  await expect(first).rejects.toThrow("not reached");
  const keptAfterFirst = await bytesKept(connectionId);
  await runTasks({ number: 7, isLast: true });

  expect(deleted.status).toBe(200);
  expect(JSON.stringify(rows)).not.toContain("token");
  expect(keptAfterFirst).toBeGreaterThan(0);
  expect(await bytesKept(connectionId)).toBe(0);
});

test("credentials that cannot be opened are deleted all the same", async () => {
  const { ctx, database } = server.installation;
  const key = await server.newKey(ctx, "environment:*");
  const { connectionId, uniqueKey } = await connect(ctx, key, `${oidc.issuer}/token/revocation`);
  await database.pool.query(
    "update connections set credentials = set_byte(credentials, length(credentials) - 1, 0) || '\\x01' where connection_id = $1",
    [connectionId],
  );

  const deleted = await server.call(
    key,
    "DELETE",
    `/connections/${connectionId}?provider_config_key=${uniqueKey}`,
  );

  expect(deleted.status).toBe(200);
  expect(await bytesKept(connectionId)).toBe(0);
});
