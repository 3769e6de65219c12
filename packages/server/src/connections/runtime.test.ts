import { afterAll, beforeAll, expect, test } from "vitest";
import { type EnvironmentContext, ServerStates } from "#foundation";
import { openCaches } from "#foundation/cache";
import { createTestContext, type TestContext } from "#foundation/testing";
import { ensureLogPartitions } from "#logs";
import { getConnectionByUuid } from "./read/get-connection.ts";
import { connectionRuntime } from "./runtime.ts";
import { prepareConnection } from "./testing/refreshing-connection.ts";
import { type RotatingServer, startRotatingServer } from "./testing/rotating-server.ts";

let installation: TestContext;
let provider: RotatingServer;

beforeAll(async () => {
  installation = await createTestContext();
  provider = await startRotatingServer({ expiresIn: 3600 });
  await ensureLogPartitions(installation.ctx);
});
afterAll(async () => {
  await provider[Symbol.asyncDispose]();
  await installation[Symbol.asyncDispose]();
});

async function prepare(ctx: EnvironmentContext) {
  const prepared = await prepareConnection(ctx, { ...provider, expiresIn: 3600 });
  const { uuid } = prepared.connection;
  const actor = { kind: "function", runId: "run", connection: uuid } as const;
  return { ...prepared, run: { connection: uuid }, ctx: { ...ctx, actor } };
}

const asIs = { forceRefresh: false, refreshToken: false };

test("a function reads its own connection with credentials, and others of its environment by name", async () => {
  const own = await prepare(installation.ctx);
  const other = await prepare(installation.ctx);

  const mine = await connectionRuntime.getConnection(own.ctx, { run: own.run, params: asIs });
  const named = await connectionRuntime.getConnection(own.ctx, {
    run: own.run,
    params: {
      ...asIs,
      providerConfigKey: other.integration.uniqueKey,
      connectionId: other.connection.connectionId,
    },
  });

  expect(mine.value).toMatchObject({
    connection_id: own.connection.connectionId,
    credentials: { access_token: "access-0" },
  });
  expect(mine.value.credentials).not.toHaveProperty("refresh_token");
  expect(named.value.connection_id).toBe(other.connection.connectionId);
});

test("a function does not reach a connection of another environment", async () => {
  const own = await prepare(installation.ctx);
  const foreign = await prepare(await installation.addEnvironment());

  await expect(
    connectionRuntime.getConnection(own.ctx, {
      run: own.run,
      params: {
        ...asIs,
        providerConfigKey: foreign.integration.uniqueKey,
        connectionId: foreign.connection.connectionId,
      },
    }),
  ).rejects.toMatchObject({ code: "unknown_provider_config" });
  await expect(
    connectionRuntime.getConnection(own.ctx, { run: foreign.run, params: asIs }),
  ).rejects.toMatchObject({ code: "unknown_connection" });
});

test("a function changes the metadata of its own connection", async () => {
  const { ctx, run, connection } = await prepare(installation.ctx);

  await connectionRuntime.setMetadata(ctx, {
    run,
    params: { mode: "replace", metadata: { a: 1, b: 1 } },
  });
  const merged = await connectionRuntime.setMetadata(ctx, {
    run,
    params: { mode: "merge", metadata: { b: 2 } },
  });

  expect(merged).toEqual({ value: null });
  expect((await getConnectionByUuid(ctx, connection.uuid)).metadata).toEqual({ a: 1, b: 2 });
});

test("a change of metadata is over when this process' caches know of it", async () => {
  const { ctx, run } = await prepare(installation.ctx);
  let caughtUp = 0;
  const catchUp = async () => {
    caughtUp += 1;
    return true;
  };
  const process = { ...ctx, state: new ServerStates(), notices: { ...ctx.notices, catchUp } };
  using _caches = openCaches(process);

  await connectionRuntime.setMetadata(process, {
    run,
    params: { mode: "merge", metadata: { plan: "gold" } },
  });

  expect(caughtUp).toBe(1);
});
