import { createHash, randomUUID } from "node:crypto";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  completeConnection,
  connectionCreated,
  getConnectionForCall,
  getFreshCredentials,
  saveConnection,
} from "#connections";
import { MINUTE, on, withEnvironment } from "#foundation";
import { getIntegration } from "#integrations";
import { authenticateSession } from "./authenticate-session.ts";
import { failPending } from "./fail-pending.ts";
import { streamSessionEvents } from "./sessions/session-events.ts";
import { settlePending } from "./settle-pending.ts";
import { claimAttempt, completeAttempt } from "./store.ts";
import { type ConnectServer, startConnectServer } from "./testing/connect-server.ts";
import { begin, createSession, finish, resultOf } from "./testing/end-user.ts";

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

  const completed = await completeConnection(ctx, { ...pending, reported: { code: newCode() } });
  const found = await getConnectionForCall(ctx, {
    integrationKey: "oauth",
    connectionId: "later",
  });
  const again = await completeConnection(ctx, { ...found, reported: { code: newCode() } });
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
      async (code) => await completeConnection(ctx, { ...pending, reported: { code } }),
    ),
  );

  expect(ends.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  expect(announced.filter((event) => event.endsWith("twice"))).toEqual(["creation twice"]);
});

/** A session whose connection is pending, and the stream of its events, whose first has been read. */
async function watchPending(connectionId: string) {
  const { ctx } = server.installation;
  const { connection } = await makePending(connectionId);
  const token = await createSession(server);
  const { environment, session } = await authenticateSession(ctx, token);
  const id = randomUUID();
  const claim = { id, session, connectionUuid: connection.uuid, limit: 1, now: ctx.clock.now() };
  expect(await claimAttempt(ctx.db, environment.id, claim)).toBe("claimed");
  const done = { id, sessionId: session.id, isPending: true };
  await completeAttempt(ctx.db, environment.id, done);
  const actor = { kind: "session", sessionId: session.id } as const;
  const inside = withEnvironment(ctx, environment, actor);
  const quick = { heartbeatMs: 20, lookEveryMs: 5 };
  const stream = streamSessionEvents(inside, new AbortController().signal, quick);
  const first = await stream.next();
  const heartbeat = await stream.next();
  expect([first.done, heartbeat.value]).toEqual([false, ": \n\n"]);
  const reported: unknown[] = [];
  const ended = (async () => {
    for await (const event of stream) {
      if (event.startsWith("data: ")) reported.push(JSON.parse(event.slice("data: ".length)).data);
    }
  })();
  return { ctx, connection, token, reported, ended };
}

test("events of a pending connection continue until it is made", async () => {
  const { ctx, connection, reported, ended } = await watchPending("watched");

  await settlePending(ctx, { connection });
  await ended;

  const made = { state: "success", connection_id: "watched", provider_config_key: "oauth" };
  expect(reported).toEqual([made]);
});

test("a refused installation is an error of its session, which may try again", async () => {
  const { ctx, connection, token, reported, ended } = await watchPending("refused");

  await failPending(ctx, { connection, thrown: new Error("not foreseen") });
  const failed = { state: "error", error: { type: "unknown_err", message: expect.any(String) } };
  await expect.poll(() => reported).toEqual([failed]);
  await finish(server, await begin(server, { token }));
  await ended;

  expect(reported.at(-1)).toMatchObject({ state: "success", provider_config_key: "oauth" });
  expect(await resultOf(server, token)).toMatchObject({ state: "success" });
});

test("events of a connection that stays pending end with the session, which is no failure", async () => {
  const { reported, ended } = await watchPending("forgotten");

  server.installation.clock.advance(30 * MINUTE);
  await ended;

  expect(reported).toEqual([]);
});
