import { createHmac, randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { getConnectionForCall, saveConnection } from "#connections";
import type { EnvironmentContext } from "#foundation";
import type { Integration } from "#integrations";
import { createInboxWork } from "../index.ts";
import { listDeliveries, startInboxServer } from "../testing/index.ts";

/** An authorization server that gives the answer set last, once `ready` resolves. */
async function startVendor() {
  const vendor = { url: "", calls: 0, status: 503, body: "", ready: Promise.resolve() };
  const server = createServer((_request, response) => {
    vendor.calls += 1;
    void vendor.ready.then(() => response.writeHead(vendor.status).end(vendor.body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  vendor.url = `http://127.0.0.1:${Object(server.address()).port}`;
  return vendor;
}

async function savePending(ctx: EnvironmentContext, integration: Integration, orgSlug: string) {
  await saveConnection(ctx, {
    integration,
    connectionId: orgSlug,
    authMode: "OAUTH2",
    minted: {
      credentials: { type: "OAUTH2", pending: true },
      expiresAt: undefined,
      capturedConfig: {},
      isPending: true,
    },
    connectionConfig: { orgSlug, hostname: "sentry.io" },
    fromSession: true,
  });
}

const GRANTED = '{"token":"t","refreshToken":"r","expiresAt":"2099-01-01T00:00:00Z"}';

const created = {
  uuid: "i1",
  installation: { uuid: "i1" },
  action: "created",
  data: { installation: { uuid: "i1", code: "c1", organization: { slug: "acme" } } },
};

/** An integration of the vendor's, with a connection that waits for its webhook. */
async function setUp() {
  const server = await startInboxServer();
  onTestFinished(async () => await server[Symbol.asyncDispose]());
  const vendor = await startVendor();
  const ctx = await server.environment();
  const integration = await server.integration(ctx, "sentry-oauth", {
    credentials: { type: "OAUTH2", client_id: "app", client_secret: "secret" },
    integrationConfig: { app_slug: "acme" },
    settings: { overrides: { simulator_url: vendor.url } },
  });
  await savePending(ctx, integration, "acme");
  const send = async (resource: string, event: object) => {
    const body = JSON.stringify(event);
    await server.send(server.pathOf(integration), {
      headers: {
        "content-type": "application/json",
        "sentry-hook-resource": resource,
        "request-id": randomUUID(),
        "sentry-hook-signature": createHmac("sha256", "secret").update(body).digest("hex"),
      },
      body,
    });
  };
  const states = async () => {
    const headers = { authorization: ctx.environment.name };
    const answer = await server.send("/webhooks/inbox", { method: "GET", headers });
    const { data } = JSON.parse(answer.body);
    return Object.fromEntries(
      data.map(({ types, state, attempts }: Record<string, unknown>) => [
        String(types),
        `${state} ${attempts}`,
      ]),
    );
  };
  return { server, vendor, ctx, send, states };
}

test("an installation that cannot be completed yet holds up and delays nothing else", async () => {
  const { server, vendor, ctx, send, states } = await setUp();

  await send("issue", { action: "resolved", installation: { uuid: "i0" } });
  await send("installation", created);
  await send("issue", { action: "assigned", installation: { uuid: "i0" } });
  await server.handle();
  const meanwhile = await states();
  vendor.status = 201;
  vendor.body = GRANTED;
  server.app.clock.advance(1000);
  await server.handle();

  expect(meanwhile).toEqual({
    "resolved,issue": "handled 1",
    "created,installation": "waiting 1",
    "assigned,issue": "handled 1",
  });
  expect(await states()).toMatchObject({ "created,installation": "handled 2" });
  expect(vendor.calls).toBe(2);
  const { connection } = await getConnectionForCall(ctx, {
    integrationKey: "sentry-oauth",
    connectionId: "acme",
  });
  expect(connection.connectionConfig).toMatchObject({ installation_id: "i1" });
  const [reported] = await listDeliveries(ctx, "auth");
  expect(reported?.body).toMatchObject({
    operation: "creation",
    success: true,
    connectionId: "acme",
  });
});

test("a provider that takes its time over an installation holds up no other integration", async () => {
  const { server, vendor, ctx, send, states } = await setUp();
  const slow = Promise.withResolvers<void>();
  Object.assign(vendor, { ready: slow.promise, status: 201, body: GRANTED });
  const other = await server.integration(ctx, "affinity");
  const work = createInboxWork();
  const claim = async () => await work.claim(server.app.ctx, () => {});

  await send("installation", created);
  await claim();
  await expect.poll(() => vendor.calls).toBe(1);
  const headers = { "content-type": "application/json" };
  await server.send(server.pathOf(other), { headers, body: '{"type":"a"}' });
  await send("issue", { action: "resolved", installation: { uuid: "i0" } });
  await claim();

  await expect.poll(states).toMatchObject({ a: "handled 1", "created,installation": "waiting 0" });
  slow.resolve();
  await work.drain?.();
  await claim();
  await work.drain?.();
  expect(await states()).toMatchObject({
    "created,installation": "handled 1",
    "resolved,issue": "handled 1",
  });
});

test("an installation is completed by one process at a time, and once", async () => {
  const { server, vendor, ctx, send, states } = await setUp();
  const slow = Promise.withResolvers<void>();
  Object.assign(vendor, { ready: slow.promise, status: 201, body: GRANTED });
  const processes = [createInboxWork(), createInboxWork(), createInboxWork()];
  const claimAll = async () =>
    await Promise.all(processes.map(async (work) => await work.claim(server.app.ctx, () => {})));

  // The provider sends it twice, under two ids.
  await send("installation", created);
  await send("installation", created);
  await claimAll();
  await expect.poll(() => vendor.calls).toBe(1);
  // The others have looked, found it taken, and rested.
  await sleep(300);
  await claimAll();
  slow.resolve();
  await Promise.all(processes.map(async (work) => await work.drain?.()));
  await server.handle();

  expect(vendor.calls).toBe(1);
  expect(await states()).toMatchObject({ "created,installation": "handled 1" });
  const reported = await listDeliveries(ctx, "auth");
  expect(reported.map(({ body }) => body["success"])).toEqual([true]);
});

test("a refusal that would stay one ends the installation, and is reported in its own words", async () => {
  const { server, vendor, ctx, send, states } = await setUp();
  Object.assign(vendor, { status: 400, body: '{"error":"invalid_grant"}' });

  await send("installation", created);
  await server.handle();

  expect(await states()).toMatchObject({ "created,installation": "handled 1" });
  expect(vendor.calls).toBe(1);
  const [reported] = await listDeliveries(ctx, "auth");
  expect(reported?.body).toMatchObject({
    operation: "creation",
    success: false,
    error: {
      type: "invalid_webhook",
      description: expect.stringMatching(/gave no token for the authorization.*invalid_grant/),
    },
  });
});
