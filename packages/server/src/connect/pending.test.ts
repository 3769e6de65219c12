import { createHash } from "node:crypto";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  completeConnection,
  connectionCreated,
  findConnectionForCall,
  getFreshCredentials,
  saveConnection,
} from "#connections";
import { getIntegration } from "#integrations";
import { on } from "#platform";
import { type ConnectServer, startConnectServer } from "./testing/connect-server.ts";

let server: ConnectServer;
const announced: string[] = [];

beforeAll(async () => {
  server = await startConnectServer({
    hooks: [
      on(connectionCreated, async (_ctx, { connection, operation }) => {
        announced.push(`${operation} ${connection.connectionId}`);
      }),
    ],
  });
  await sql`update webhook_settings set primary_url = 'https://example.com/hook'`.execute(
    server.installation.ctx.db,
  );
});
afterAll(async () => await server[Symbol.asyncDispose]());

async function makePending(connectionId: string) {
  const { ctx } = server.installation;
  const integration = await getIntegration(ctx, "oauth");
  const { connection } = await saveConnection(ctx, {
    integration,
    connectionId,
    authMode: "OAUTH2",
    minted: {
      credentials: { type: "OAUTH2", pending: true },
      expiresAt: undefined,
      capturedConfig: {},
      isPending: true,
    },
    connectionConfig: {},
    fromSession: true,
  });
  return { integration, connection };
}

/** A code as a provider gives it that knows of no verifier. */
function newCode(): string {
  const challenge = createHash("sha256").update("").digest("base64url");
  const query = new URLSearchParams({
    state: "outside",
    code_challenge: challenge,
    redirect_uri: "http://127.0.0.1:3003/oauth/callback",
  });
  return server.provider.approve(`https://provider.example/?${query}`);
}

async function countWebhooks(): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from webhook_deliveries`.execute(server.installation.ctx.db);
  return rows[0]?.count ?? 0;
}

test("nobody learns of a pending connection until the provider's webhook completes it, once", async () => {
  const { ctx } = server.installation;
  const pending = await makePending("later");
  const before = [announced.length, await countWebhooks()];

  const completed = await completeConnection(ctx, { ...pending, told: { code: newCode() } });
  const found = await findConnectionForCall(ctx, {
    integrationKey: "oauth",
    connectionId: "later",
  });
  const again = await completeConnection(ctx, { ...found, told: { code: newCode() } });
  const { credentials } = await getFreshCredentials(ctx, { ...found, force: false });

  expect(before).toEqual([0, 0]);
  expect(completed?.uuid).toBe(pending.connection.uuid);
  expect(announced).toEqual(["creation later"]);
  expect(await countWebhooks()).toBe(1);
  expect(again).toBeUndefined();
  expect(credentials["access_token"]).toMatch(/^access of code-/);
  expect(credentials).not.toHaveProperty("pending");
});

test("of two webhooks at once one completes the connection", async () => {
  const { ctx } = server.installation;
  const pending = await makePending("twice");

  const ends = await Promise.allSettled(
    [newCode(), newCode()].map(
      async (code) => await completeConnection(ctx, { ...pending, told: { code } }),
    ),
  );

  expect(ends.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  expect(announced.filter((news) => news.endsWith("twice"))).toEqual(["creation twice"]);
});
