import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { EnvironmentContext } from "#foundation";
import { createTestContext, type TestContext } from "#foundation/testing";
import { ensureLogPartitions } from "#logs";
import { getFreshCredentials } from "./refresh/get-fresh-credentials.ts";
import { createConnection } from "./save/create-connection.ts";
import { prepareConnection } from "./testing/refreshing-connection.ts";
import { startRotatingServer } from "./testing/rotating-server.ts";

let installation: TestContext;
let ctx: EnvironmentContext;
const withdrawn: (string | null)[] = [];
const revocation = createServer((request, response) => {
  void text(request).then((form) => {
    withdrawn.push(new URLSearchParams(form).get("token"));
    response.end();
  });
});

beforeAll(async () => {
  installation = await createTestContext();
  ctx = installation.ctx;
  await ensureLogPartitions(ctx);
  revocation.listen(0, "127.0.0.1");
  await once(revocation, "listening");
});
afterAll(async () => {
  await installation[Symbol.asyncDispose]();
  revocation.close();
});

test.each([
  ["is withdrawn", "refresh-of-another-grant", false, ["refresh-0"]],
  ["is left alone where what replaced it holds the same token", "refresh-0", false, []],
  ["is left alone where another connection holds it", "refresh-of-another-grant", true, []],
])("the answer to an overtaken refresh %s", async (_title, refreshToken, isHeld, expected) => {
  withdrawn.length = 0;
  await using server = await startRotatingServer({ expiresIn: 3600 });
  // As most providers do: the refresh token stays.
  server.answerWith({ status: 200, body: { access_token: "late", expires_in: 3600 } });
  const { port } = asTcpAddress(revocation.address());
  const prepared = await prepareConnection(ctx, { ...server, expiresIn: -1 });
  if (isHeld) await prepareConnection(ctx, { ...server, expiresIn: 3600 });
  else await sql`delete from connections where uuid <> ${prepared.connection.uuid}`.execute(ctx.db);
  const integrationConfig = {
    ...prepared.integration.integrationConfig,
    revocation_url: `http://127.0.0.1:${port}/`,
  };
  const integration = { ...prepared.integration, integrationConfig };
  const { arrived, release } = server.hold();

  const refreshed = getFreshCredentials(ctx, { ...prepared, integration, force: false });
  await arrived;
  await createConnection(ctx, {
    integration,
    connectionId: prepared.connection.connectionId,
    credentials: { type: "OAUTH2", access_token: "reconnected", refresh_token: refreshToken },
    metadata: undefined,
    connectionConfig: undefined,
    tags: undefined,
    webhookUrlOverride: undefined,
  });
  release();
  const { credentials } = await refreshed;

  expect(credentials["access_token"]).toBe("reconnected");
  expect(withdrawn).toEqual(expected);
});

// A server that listens on TCP has an address of this form.
function asTcpAddress(address: unknown): AddressInfo {
  return address as AddressInfo;
}
