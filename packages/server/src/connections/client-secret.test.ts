import { afterAll, beforeAll, expect, test } from "vitest";
import { DAY, type EnvironmentContext, MINUTE } from "#foundation";
import { createTestContext, type TestContext } from "#foundation/testing";
import { type Integration, updateIntegration } from "#integrations";
import { ensureLogPartitions, flushLogs } from "#logs";
import { getFreshCredentials } from "./refresh/get-fresh-credentials.ts";
import { prepareConnection } from "./testing/refreshing-connection.ts";
import { type RotatingServer, startRotatingServer } from "./testing/rotating-server.ts";

let installation: TestContext;
let ctx: EnvironmentContext;
let provider: RotatingServer;

beforeAll(async () => {
  installation = await createTestContext();
  ctx = installation.ctx;
  await ensureLogPartitions(ctx);
});
afterAll(async () => await installation[Symbol.asyncDispose]());

/** A connection with an expired token, at a provider that takes one secret, whose integration has got another. */
async function changeSecret(
  changed: { client_id?: string; client_secret: string },
  taken = "client secret",
) {
  provider = await startRotatingServer({ expiresIn: 3600 });
  provider.clientSecret = taken;
  const prepared = await prepareConnection(ctx, { tokenUrl: provider.tokenUrl, expiresIn: -1 });
  const integration = await change(prepared.integration, changed);
  return {
    integration,
    connection: prepared.connection,
    [Symbol.asyncDispose]: async () => await provider[Symbol.asyncDispose](),
  };
}

async function change(integration: Integration, credentials: object): Promise<Integration> {
  return await updateIntegration(ctx, integration.uniqueKey, {
    uniqueKey: undefined,
    displayName: undefined,
    forwardWebhooks: undefined,
    credentials: { type: "OAUTH2", ...credentials },
    integrationConfig: undefined,
    custom: undefined,
    settings: undefined,
  });
}

async function renew(prepared: Awaited<ReturnType<typeof changeSecret>>): Promise<unknown> {
  const { integration, connection } = prepared;
  const fresh = await getFreshCredentials(ctx, { integration, connection, force: false });
  return fresh.credentials["access_token"];
}

async function warnings(): Promise<string[]> {
  await flushLogs(ctx);
  const { rows } = await installation.database.pool.query(
    "select message from operation_messages where level = 'warn'",
  );
  return rows.map(({ message }) => message);
}

test("a secret that the provider does not know yet gives way to the one before, and the logs say so", async () => {
  await using prepared = await changeSecret({ client_secret: "the new one" });
  const before = await warnings();

  const token = await renew(prepared);

  expect(token).toBe("access-1");
  expect(provider.requests).toEqual(["refresh-0", "refresh-0"]);
  expect((await warnings()).slice(before.length)).toEqual([
    expect.stringContaining("takes the one before"),
  ]);
});

test("a secret that the provider knows is all that it is shown", async () => {
  await using prepared = await changeSecret({ client_secret: "the new one" }, "the new one");

  expect(await renew(prepared)).toBe("access-1");

  expect(provider.requests).toHaveLength(1);
});

test("the secret before is forgotten after a week", async () => {
  await using prepared = await changeSecret({ client_secret: "the new one" });
  installation.clock.advance(7 * DAY + MINUTE);

  await expect(renew(prepared)).rejects.toMatchObject({ code: "integration_misconfigured" });

  expect(provider.requests).toHaveLength(1);
});

test("an old secret is not sent with another client's id", async () => {
  const changed = { client_id: "another", client_secret: "its secret" };
  await using prepared = await changeSecret(changed);

  await expect(renew(prepared)).rejects.toMatchObject({ code: "integration_misconfigured" });

  expect(provider.requests).toHaveLength(1);
});

test("of a secret that neither is, the refusal is reported; other changes keep the one before", async () => {
  await using prepared = await changeSecret({ client_secret: "the new one" });
  provider.clientSecret = "a third";

  await expect(renew(prepared)).rejects.toMatchObject({ code: "integration_misconfigured" });
  provider.clientSecret = "client secret";
  installation.clock.advance(MINUTE);
  const integration = await change(prepared.integration, { scopes: "read" });
  const token = await renew({ ...prepared, integration });

  expect(token).toBe("access-1");
});
