import assert from "node:assert";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { readProvider } from "@jackfield/catalogue";
import { afterAll, beforeAll, expect, test } from "vitest";
import { getAuthMode } from "#auth-modes";
import { type EnvironmentContext, HOUR } from "#foundation";
import { createTestContext, type TestContext } from "#foundation/testing";
import { ensureLogPartitions } from "#logs";
import { getConnectionByUuid } from "./read/get-connection.ts";
import type { RenewInput } from "./refresh/refresh-outcome.ts";
import { renewCredentials } from "./refresh/renew-credentials.ts";
import { replaySpool } from "./refresh/replay-spool.ts";
import { openCredentials } from "./sealed-credentials.ts";
import { prepareConnection } from "./testing/refreshing-connection.ts";
import { startRotatingServer } from "./testing/rotating-server.ts";

let installation: TestContext;
let ctx: EnvironmentContext;
let exchangeStatus = 200;

// The second call of the chain: short tokens for long ones.
const exchange = createServer((_request, response) => {
  response.writeHead(exchangeStatus, { "content-type": "application/json" });
  response.end(JSON.stringify(exchangeStatus === 200 ? { access_token: "long" } : {}));
});

beforeAll(async () => {
  exchange.listen(0, "127.0.0.1");
  await once(exchange, "listening");
  installation = await createTestContext();
  ctx = installation.ctx;
  await ensureLogPartitions(ctx);
});
afterAll(async () => {
  await installation[Symbol.asyncDispose]();
  exchange.close();
});

/** A connection whose provider exchanges each renewed token once more. */
async function prepareChain(tokenUrl: string): Promise<RenewInput> {
  const { integration, connection } = await prepareConnection(ctx, { tokenUrl, expiresIn: 60 });
  const { port } = asTcpAddress(exchange.address());
  const { provider } = readProvider({
    id: "chain",
    display_name: "Chain",
    categories: ["other"],
    auth_mode: "OAUTH2",
    authorization_url: "http://127.0.0.1:9/authorize",
    token_url: tokenUrl,
    exchange: [{ url: `http://127.0.0.1:${port}/`, params: { token: "{{token.access_token}}" } }],
  });
  assert(provider !== undefined);
  const { refresh } = getAuthMode("OAUTH2");
  assert(refresh !== undefined);
  return {
    integration,
    connection,
    force: true,
    refresh: async (subject, credentials, tools) =>
      await refresh({ ...subject, provider }, credentials, tools),
  };
}

// A server that listens on a port of TCP has such an address.
function asTcpAddress(address: unknown): AddressInfo {
  return address as AddressInfo;
}

async function tokensOf({ connection: { uuid } }: RenewInput) {
  const connection = await getConnectionByUuid(ctx, uuid);
  const { access_token, refresh_token } = await openCredentials(ctx, connection);
  return { access_token, refresh_token, connection };
}

test("a chain that breaks after the refresh token was replaced keeps the new one, and the old access token", async () => {
  await using server = await startRotatingServer({ expiresIn: 3600 });
  const input = await prepareChain(server.tokenUrl);

  exchangeStatus = 503;
  const broken = await renewCredentials(ctx, input);
  const between = await tokensOf(input);
  exchangeStatus = 200;
  installation.clock.advance(HOUR);
  const renewed = await renewCredentials(ctx, { ...input, connection: between.connection });
  const after = await tokensOf(input);

  expect(broken).toMatchObject({ kind: "failed", problem: { kind: "unavailable" } });
  expect(between).toMatchObject({ access_token: "access-0", refresh_token: "refresh-1" });
  expect(between.connection.refresh.failures).toBe(1);
  expect(renewed.kind).toBe("renewed");
  expect(after).toMatchObject({ access_token: "long", refresh_token: "refresh-2" });
  expect(server.requests).toEqual(["refresh-0", "refresh-1"]);
});

test("a process that dies within a chain has kept the refresh token that it got", async () => {
  await using server = await startRotatingServer({ expiresIn: 3600 });
  const input = await prepareChain(server.tokenUrl);
  const reached = Promise.withResolvers<void>();
  const failpoints = {
    async hit(name: string) {
      if (name !== "refresh.after_progress") return;
      reached.resolve();
      // As if the process were dead: nothing of it continues.
      await new Promise(() => {});
    },
  };

  void renewCredentials({ ...ctx, failpoints }, input);
  await reached.promise;
  const left = await replaySpool(ctx, { minAgeMs: 0 });
  const after = await tokensOf(input);

  expect(left).toBe(0);
  expect(after).toMatchObject({ access_token: "access-0", refresh_token: "refresh-1" });
});
