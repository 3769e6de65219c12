import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { EnvironmentContext } from "#foundation";
import { ServerStates } from "#foundation";
import { createTestContext, type TestContext } from "#foundation/testing";
import { ensureLogPartitions } from "#logs";
import type { Connection } from "./connection.ts";
import { changeMetadata } from "./metadata/change-metadata.ts";
import { getConnectionByUuid } from "./read/get-connection.ts";
import { finishRefreshes, getFreshCredentials } from "./refresh/get-fresh-credentials.ts";
import { deleteConnection } from "./revoke/delete-connection.ts";
import { createConnection } from "./save/create-connection.ts";
import { type Prepared, prepareConnection } from "./testing/refreshing-connection.ts";
import { startRotatingServer } from "./testing/rotating-server.ts";

let installation: TestContext;
let ctx: EnvironmentContext;

beforeAll(async () => {
  installation = await createTestContext();
  ctx = installation.ctx;
  await ensureLogPartitions(ctx);
});
afterAll(async () => await installation[Symbol.asyncDispose]());

/** The same installation as another process sees it: nothing in memory is shared. */
function anotherProcess(): EnvironmentContext {
  return { ...ctx, state: new ServerStates() };
}

async function reload({ connection }: Prepared): Promise<Connection> {
  return await getConnectionByUuid(ctx, connection.uuid);
}

async function fetchNow(
  process: EnvironmentContext,
  prepared: Prepared,
  options: { force: boolean } = { force: false },
) {
  const connection = await reload(prepared);
  return await getFreshCredentials(process, { ...prepared, connection, ...options });
}

async function countAuthWebhooks(connection: Connection): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from webhook_deliveries
     where type = 'auth' and connection_uuid = ${connection.uuid}`.execute(ctx.db);
  return rows[0]?.count ?? 0;
}

async function receiveWebhooks(): Promise<void> {
  await sql`
    update webhook_settings set primary_url = 'https://example.com/hook'
     where environment_id = ${ctx.environment.id}`.execute(ctx.db);
}

test("hands out a token that is far from its end without asking the provider", async () => {
  await using server = await startRotatingServer({ expiresIn: 3600 });
  const prepared = await prepareConnection(ctx, { ...server, expiresIn: 901 });

  const { credentials } = await fetchNow(ctx, prepared);

  expect(credentials["access_token"]).toBe("access-0");
  expect(server.requests).toEqual([]);
});

test("renews a token that expires within 15 minutes and keeps the rotated refresh token", async () => {
  await using server = await startRotatingServer({ expiresIn: 3600 });
  const prepared = await prepareConnection(ctx, { ...server, expiresIn: 899 });

  const { credentials } = await fetchNow(ctx, prepared);
  const again = await fetchNow(ctx, prepared);
  const forced = await fetchNow(ctx, prepared, { force: true });

  expect(credentials["access_token"]).toBe("access-1");
  expect(again.credentials["access_token"]).toBe("access-1");
  expect(forced.credentials["refresh_token"]).toBe("refresh-2");
  expect(server.requests).toEqual(["refresh-0", "refresh-1"]);
});

test("a token issued for ten minutes is renewed after half of them", async () => {
  await using server = await startRotatingServer({ expiresIn: 600 });
  const prepared = await prepareConnection(ctx, { ...server, expiresIn: -1 });
  await fetchNow(ctx, prepared);

  installation.clock.advance(299_000);
  const early = await fetchNow(ctx, prepared);
  installation.clock.advance(2_000);
  const late = await fetchNow(ctx, prepared);

  expect(early.credentials["access_token"]).toBe("access-1");
  expect(late.credentials["access_token"]).toBe("access-2");
});

test("50 callers in 3 processes make one refresh, round after round", async () => {
  await using server = await startRotatingServer({ expiresIn: 3600 });
  const prepared = await prepareConnection(ctx, { ...server, expiresIn: -1 });
  const processes = [anotherProcess(), anotherProcess(), anotherProcess()];

  for (let round = 1; round <= 20; round += 1) {
    const callers = Array.from({ length: 50 }, (_, index) => processes[index % 3] ?? ctx);
    const answers = await Promise.all(callers.map((process) => fetchNow(process, prepared)));
    const tokens = new Set(answers.map(({ credentials }) => credentials["access_token"]));
    expect(tokens).toEqual(new Set([`access-${round}`]));
    installation.clock.advance(3600_000);
  }

  expect(server.requests).toHaveLength(20);
  expect(server.mostAtOnce).toBe(1);
});

test("forced refreshes that overlap share one attempt, and a later one starts the next", async () => {
  await using server = await startRotatingServer({ expiresIn: 3600 });
  const prepared = await prepareConnection(ctx, { ...server, expiresIn: 3600 });
  const other = anotherProcess();
  const { arrived, release } = server.hold();

  const first = fetchNow(ctx, prepared, { force: true });
  await arrived;
  const overlapping = Array.from({ length: 49 }, (_, index) =>
    getFreshCredentials(index % 2 === 0 ? ctx : other, { ...prepared, force: true }),
  );
  // Each has read the connection when reads that were asked for after them are answered.
  for (let round = 0; round < 2; round += 1) {
    await Promise.all(overlapping.map(() => reload(prepared)));
  }
  release();
  const answers = await Promise.all([first, ...overlapping]);
  const later = await fetchNow(ctx, prepared, { force: true });

  expect(new Set(answers.map(({ credentials }) => credentials["access_token"]))).toEqual(
    new Set(["access-1"]),
  );
  expect(later.credentials["access_token"]).toBe("access-2");
  expect(server.mostAtOnce).toBe(1);
});

test("a forced caller that joins an attempt which only finds an older change starts one of its own", async () => {
  await using server = await startRotatingServer({ expiresIn: 3600 });
  const prepared = await prepareConnection(ctx, { ...server, expiresIn: -1 });
  await fetchNow(ctx, prepared);
  const current = { ...prepared, connection: await reload(prepared) };

  const late = getFreshCredentials(ctx, { ...prepared, force: false });
  const forced = getFreshCredentials(ctx, { ...current, force: true });

  expect((await late).credentials["access_token"]).toBe("access-1");
  expect((await forced).credentials["access_token"]).toBe("access-2");
});

test("a server that stops waits for the refreshes that run", async () => {
  await using server = await startRotatingServer({ expiresIn: 3600 });
  const prepared = await prepareConnection(ctx, { ...server, expiresIn: -1 });
  const leaving = new AbortController();
  const { arrived, release } = server.hold();

  const abandoned = fetchNow({ ...ctx, signal: leaving.signal }, prepared);
  await arrived;
  leaving.abort(new Error("the caller left"));
  await expect(abandoned).rejects.toThrow("the caller left");
  release();
  await finishRefreshes(ctx);

  expect((await reload(prepared)).credentialVersion).toBe(2);
});

test("a still valid token is served while the provider is down, with one attempt per back-off", async () => {
  await using server = await startRotatingServer({ expiresIn: 3600 });
  const prepared = await prepareConnection(ctx, { ...server, expiresIn: 600 });
  server.answerWith({ status: 503, body: "down" });

  const answers = await Promise.all(Array.from({ length: 50 }, () => fetchNow(ctx, prepared)));
  installation.clock.advance(29_000);
  await fetchNow(ctx, prepared);
  const beforeBackoff = server.requests.length;
  installation.clock.advance(2_000);
  await fetchNow(ctx, prepared);
  const afterBackoff = server.requests.length;
  installation.clock.advance(31_000);
  await fetchNow(ctx, prepared);

  expect(answers.every(({ credentials }) => credentials["access_token"] === "access-0")).toBe(true);
  expect(beforeBackoff).toBe(1);
  expect(afterBackoff).toBe(2);
  expect(server.requests).toHaveLength(2);
});

test("an expired token whose provider is down answers connection_refresh_backoff and recovers", async () => {
  await using server = await startRotatingServer({ expiresIn: 3600 });
  const prepared = await prepareConnection(ctx, { ...server, expiresIn: -1 });
  server.answerWith({ status: 429, body: {}, headers: { "retry-after": "120" } });

  await expect(fetchNow(ctx, prepared)).rejects.toMatchObject({
    code: "connection_refresh_backoff",
    status: 424,
    headers: { "Retry-After": "120" },
  });
  installation.clock.advance(60_000);
  await expect(fetchNow(ctx, prepared)).rejects.toMatchObject({
    code: "connection_refresh_backoff",
    headers: { "Retry-After": "60" },
  });
  server.answerWith(undefined);
  installation.clock.advance(60_000);
  const { credentials, connection } = await fetchNow(ctx, prepared);

  expect(credentials["access_token"]).toBe("access-1");
  expect(connection.refresh.failures).toBe(0);
  expect(connection.errors).toEqual([]);
  expect(server.requests).toHaveLength(2);
});

test("a withdrawn authorization marks the connection once, with one webhook, and is not asked again", async () => {
  await receiveWebhooks();
  await using server = await startRotatingServer({ expiresIn: 3600 });
  const prepared = await prepareConnection(ctx, { ...server, expiresIn: -1 });
  const before = await countAuthWebhooks(prepared.connection);
  server.answerWith({ status: 400, body: { error: "invalid_grant" } });
  const processes = [ctx, anotherProcess()];

  const answers = await Promise.allSettled(
    Array.from({ length: 20 }, (_, index) => fetchNow(processes[index % 2] ?? ctx, prepared)),
  );
  await expect(fetchNow(ctx, prepared, { force: true })).rejects.toThrow();
  const connection = await reload(prepared);

  for (const answer of answers) {
    expect(answer).toMatchObject({ status: "rejected", reason: { code: "invalid_credentials" } });
  }
  expect(server.requests).toHaveLength(2);
  expect(connection.refresh.needsReauthorizationAt).toBeDefined();
  expect(connection.errors).toHaveLength(1);
  expect((await countAuthWebhooks(prepared.connection)) - before).toBe(1);
});

test("authorizing again clears the mark", async () => {
  await using server = await startRotatingServer({ expiresIn: 3600 });
  const prepared = await prepareConnection(ctx, { ...server, expiresIn: -1 });
  server.answerWith({ status: 400, body: { error: "invalid_grant" } });
  await expect(fetchNow(ctx, prepared)).rejects.toMatchObject({ code: "invalid_credentials" });

  await createConnection(ctx, {
    integration: prepared.integration,
    connectionId: prepared.connection.connectionId,
    credentials: { type: "OAUTH2", access_token: "new", refresh_token: "new" },
    metadata: undefined,
    connectionConfig: undefined,
    tags: undefined,
    webhookUrlOverride: undefined,
  });
  const { credentials, connection } = await fetchNow(ctx, prepared);

  expect(credentials["access_token"]).toBe("new");
  expect(connection.errors).toEqual([]);
  expect(connection.refresh.needsReauthorizationAt).toBeUndefined();
});

test("a connection that is lost, authorized again and lost again is reported twice, and failures that pass never", async () => {
  await receiveWebhooks();
  await using server = await startRotatingServer({ expiresIn: 3600 });
  const prepared = await prepareConnection(ctx, { ...server, expiresIn: -1 });
  const before = await countAuthWebhooks(prepared.connection);
  const reported: number[] = [];
  const failWith = async (status: number, error: string) => {
    server.answerWith({ status, body: { error } });
    await expect(fetchNow(ctx, prepared, { force: true })).rejects.toThrow();
    reported.push((await countAuthWebhooks(prepared.connection)) - before);
  };

  await failWith(503, "unavailable");
  await failWith(401, "invalid_client");
  await failWith(400, "invalid_grant");
  await failWith(400, "invalid_grant");
  await createConnection(ctx, {
    integration: prepared.integration,
    connectionId: prepared.connection.connectionId,
    credentials: { type: "OAUTH2", access_token: "new", refresh_token: "new" },
    metadata: undefined,
    connectionConfig: undefined,
    tags: undefined,
    webhookUrlOverride: undefined,
  });
  await failWith(400, "invalid_grant");

  // An import is reported as well (operation override).
  expect(reported).toEqual([0, 0, 1, 1, 3]);
});

test("a refused OAuth client is the integration's fault, not the connection's", async () => {
  await using server = await startRotatingServer({ expiresIn: 3600 });
  const prepared = await prepareConnection(ctx, { ...server, expiresIn: -1 });
  server.answerWith({ status: 401, body: { error: "invalid_client" } });

  await expect(fetchNow(ctx, prepared)).rejects.toMatchObject({
    code: "integration_misconfigured",
    status: 424,
  });
  const connection = await reload(prepared);

  expect(connection.refresh.needsReauthorizationAt).toBeUndefined();
  expect(connection.errors).toEqual([]);
});

test("a caller with a usable token waits two seconds for a slow provider, and the answer is still stored", async () => {
  await using server = await startRotatingServer({ expiresIn: 3600 });
  const prepared = await prepareConnection(ctx, { ...server, expiresIn: 600 });
  const { release } = server.hold();

  const meanwhile = await fetchNow(ctx, prepared);
  release();
  const after = await fetchNow(ctx, prepared);

  expect(meanwhile.credentials["access_token"]).toBe("access-0");
  expect(after.credentials["access_token"]).toBe("access-1");
  expect(server.requests).toHaveLength(1);
});

test("changes made during a refresh stay, and newer credentials win over its result", async () => {
  await using server = await startRotatingServer({ expiresIn: 3600 });
  const prepared = await prepareConnection(ctx, { ...server, expiresIn: -1 });
  const { integration, connection } = prepared;
  const { arrived, release } = server.hold();

  const refreshed = fetchNow(ctx, prepared);
  await arrived;
  await changeMetadata(ctx, {
    integration,
    connectionIds: [connection.connectionId],
    metadata: { plan: "gold" },
    mode: "merge",
  });
  await createConnection(ctx, {
    integration,
    connectionId: connection.connectionId,
    credentials: { type: "OAUTH2", access_token: "reconnected" },
    metadata: undefined,
    connectionConfig: undefined,
    tags: undefined,
    webhookUrlOverride: undefined,
  });
  release();
  const answer = await refreshed;

  expect(answer.credentials["access_token"]).toBe("reconnected");
  expect((await reload(prepared)).metadata).toEqual({ plan: "gold" });
});

test("a connection that is deleted during its refresh stays deleted", async () => {
  await using server = await startRotatingServer({ expiresIn: 3600 });
  const prepared = await prepareConnection(ctx, { ...server, expiresIn: -1 });
  const { integration, connection } = prepared;
  const { arrived, release } = server.hold();

  const refreshed = fetchNow(ctx, prepared);
  await arrived;
  await deleteConnection(ctx, { integration, connectionId: connection.connectionId });
  release();

  await expect(refreshed).rejects.toMatchObject({ code: "unknown_connection" });
  await expect(reload(prepared)).rejects.toMatchObject({ code: "unknown_connection" });
});

test.each([
  ["left out", {}],
  ["empty", { refresh_token: "" }],
  ["null", { refresh_token: null }],
])("an answer whose refresh token is %s keeps the old one in use", async (_case, field) => {
  await using server = await startRotatingServer({ expiresIn: 3600 });
  const prepared = await prepareConnection(ctx, { ...server, expiresIn: -1 });
  server.answerWith({ status: 200, body: { access_token: "next", expires_in: 3600, ...field } });

  const { credentials } = await fetchNow(ctx, prepared);
  await fetchNow(ctx, prepared, { force: true });

  expect(credentials["refresh_token"]).toBe("refresh-0");
  expect(server.requests).toEqual(["refresh-0", "refresh-0"]);
});

test("a process that died with the lease is taken over once the lease has ended", async () => {
  await using server = await startRotatingServer({ expiresIn: 3600 });
  const prepared = await prepareConnection(ctx, { ...server, expiresIn: -1 });
  await sql`
    update connections set refresh_fence = 7, refresh_lease_until = clock_timestamp() + interval '1 second'
     where uuid = ${prepared.connection.uuid}`.execute(ctx.db);

  const { credentials, connection } = await fetchNow(ctx, prepared);

  expect(credentials["access_token"]).toBe("access-1");
  expect(connection.refresh.fence).toBe(8);
});

test("a refusal in characters that no database keeps is a failure like any other", async () => {
  await using server = await startRotatingServer({ expiresIn: 3600 });
  const prepared = await prepareConnection(ctx, { ...server, expiresIn: -1 });
  server.answerWith({ status: 503, body: "down\u0000" });

  await expect(fetchNow(ctx, prepared)).rejects.toMatchObject({
    code: "connection_refresh_backoff",
  });
});
