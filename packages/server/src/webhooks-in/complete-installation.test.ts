import { createHmac, randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { findConnectionForCall, saveConnection } from "#connections";
import type { Integration } from "#integrations";
import type { EnvironmentContext } from "#platform";
import { listDeliveries, startInboxServer } from "./testing/index.ts";

/** An authorization server that answers as it was last told. */
async function startVendor() {
  const vendor = { url: "", calls: 0, status: 503, body: "" };
  const server = createServer((_request, response) => {
    vendor.calls += 1;
    response.writeHead(vendor.status).end(vendor.body);
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

test("an installation that cannot be completed yet holds up and delays nothing else", async () => {
  await using server = await startInboxServer();
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
  const created = {
    uuid: "i1",
    installation: { uuid: "i1" },
    action: "created",
    data: { installation: { uuid: "i1", code: "c1", organization: { slug: "acme" } } },
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

  await send("issue", { action: "resolved", installation: { uuid: "i0" } });
  await send("installation", created);
  await send("issue", { action: "assigned", installation: { uuid: "i0" } });
  await server.handle();
  const meanwhile = await states();
  vendor.status = 201;
  vendor.body = '{"token":"t","refreshToken":"r","expiresAt":"2099-01-01T00:00:00Z"}';
  server.app.clock.advance(1000);
  await server.handle();

  expect(meanwhile).toEqual({
    "resolved,issue": "handled 1",
    "created,installation": "waiting 1",
    "assigned,issue": "handled 1",
  });
  expect(await states()).toMatchObject({ "created,installation": "handled 2" });
  expect(vendor.calls).toBe(2);
  const { connection } = await findConnectionForCall(ctx, {
    integrationKey: "sentry-oauth",
    connectionId: "acme",
  });
  expect(connection.connectionConfig).toMatchObject({ installation_id: "i1" });
  const [told] = await listDeliveries(ctx, "auth");
  expect(told?.body).toMatchObject({ operation: "creation", success: true, connectionId: "acme" });
});
