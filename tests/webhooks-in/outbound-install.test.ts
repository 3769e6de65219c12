import { createHmac, randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import {
  startTokenServer,
  type TokenServer,
} from "../../packages/server/src/auth-modes/testing/token-server.ts";
import { createServerDatabase } from "../../packages/server/src/foundation/testing/index.ts";
import { type Api, apiOf } from "../journeys/api.ts";
import { startWebhookReceiver } from "../journeys/webhook-receiver.ts";
import { makeDataFolder } from "../launcher/data-folder.ts";
import { startPlatformProcess } from "../launcher/platform-process.ts";

const CLIENT_SECRET = "shh-7c1f4ad29b0e";

/** The vendor's event that its user has installed the integration (Sentry docs, "Installation"). */
function installed(orgSlug: string, code: string) {
  const installation = {
    app: { uuid: "a1", slug: "acme-sync" },
    organization: { slug: orgSlug },
    uuid: `installation-of-${orgSlug}`,
    code,
    status: "pending",
  };
  return JSON.stringify({
    action: "created",
    installation: { uuid: installation.uuid },
    data: { installation },
    actor: { type: "user", id: 1, name: "Ada" },
  });
}

function sign(body: string, secret: string) {
  return {
    "content-type": "application/json",
    "sentry-hook-resource": "installation",
    "request-id": randomUUID(),
    "sentry-hook-signature": createHmac("sha256", secret).update(body).digest("hex"),
  };
}

/** Begins an installation through a session, as the hosted page does. */
async function begin(api: Api, url: string, orgSlug: string) {
  const tags = { end_user_id: orgSlug };
  const session = await api("POST", "/connect/sessions", { body: { tags } });
  const token: string = session.body.data.token;
  const query = new URLSearchParams({ connect_session_token: token, "params[orgSlug]": orgSlug });
  const path = `${url}/auth/oauth-outbound/sentry?${query}`;
  const made = Object(await (await fetch(path, { method: "POST" })).json());
  return {
    connectionId: String(made.connectionId),
    result: apiOf(url, token),
    events: await listen(url, token),
  };
}

/** The events that the session's stream has sent so far, and whether it has ended. */
async function listen(url: string, token: string) {
  const headers = { authorization: `Bearer ${token}` };
  const { status, body } = await fetch(`${url}/connect/session/events`, { headers });
  expect(status).toBe(200);
  const heard = { reported: [] as unknown[], isOver: false };
  const read = async (): Promise<void> => {
    let text = "";
    for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk;
      const lines = text.split("\n").filter((line) => line.startsWith("data: "));
      heard.reported = lines.map((line) => Object(JSON.parse(line.slice("data: ".length))).data);
    }
    heard.isOver = true;
  };
  void read();
  return heard;
}

test("the vendor's signed webhook completes the connection that waits for it, and no other's does", async () => {
  await using database = await createServerDatabase();
  await using folder = await makeDataFolder();
  await using vendor = await startTokenServer();
  vendor.respond = answerGrants;
  const key = randomUUID();
  const platform = await startPlatformProcess({
    dataDir: folder.path,
    env: { SVC_DATABASE_URL: database.connectionString, SVC_BOOTSTRAP_KEY: key },
  });
  const api = apiOf(platform.url, key);
  const { body: settings } = await api("GET", "/environment/webhooks");
  await using receiver = await startWebhookReceiver(settings.data.signing_key);
  await api("PATCH", "/environment/webhooks", { body: { primary_url: receiver.url } });
  await api("POST", "/integrations", {
    body: {
      provider: "sentry-oauth",
      unique_key: "sentry",
      credentials: { type: "OAUTH2", client_id: "app", client_secret: CLIENT_SECRET },
      integration_config: { app_slug: "acme-sync" },
      settings: { allow_unsigned_webhooks: true, overrides: { simulator_url: vendor.url } },
    },
  });
  const shown = await api("GET", "/integrations/sentry?include=webhook");
  const tell = async (headers: Record<string, string>, body: string) =>
    (await fetch(shown.body.data.webhook_url, { method: "POST", headers, body })).status;
  const { connectionId, result, events } = await begin(api, platform.url, "acme");
  const other = await begin(api, platform.url, "other");
  const body = installed("acme", "grant");
  const pending = await result("GET", "/connect/session/result");

  const { "sentry-hook-signature": _signature, ...unsigned } = sign(body, CLIENT_SECRET);
  expect(await tell(sign(body, "another secret"), body)).toBe(401);
  expect(await tell(unsigned, installed("acme", "of a stranger"))).toBe(200);
  await receiver.nth("forward", 0);
  const untouched = await result("GET", "/connect/session/result");
  expect(await tell(sign(body, CLIENT_SECRET), body)).toBe(200);

  expect(await receiver.nth("auth", 0)).toEqual({
    from: "svc",
    type: "auth",
    operation: "creation",
    success: true,
    connectionId,
    providerConfigKey: "sentry",
    provider: "sentry-oauth",
    environment: "dev",
    authMode: "OAUTH2",
    tags: { end_user_id: "acme" },
    endUser: { endUserId: "acme", tags: {} },
    sequence: 1,
  });
  const waiting = {
    state: "success",
    connection_id: connectionId,
    provider_config_key: "sentry",
    is_pending: true,
  };
  expect([pending.body.data, untouched.body.data]).toEqual([waiting, waiting]);
  const { is_pending: _isPending, ...done } = waiting;
  expect((await result("GET", "/connect/session/result")).body.data).toEqual(done);
  await expect.poll(() => events).toEqual({ reported: [waiting, done], isOver: true });
  const path = `/connections/${connectionId}?provider_config_key=sentry`;
  const { body: connection } = await api("GET", path);
  expect(connection).toMatchObject({
    credentials: { type: "OAUTH2", access_token: "token for grant" },
    connection_config: { orgSlug: "acme", installation_id: "installation-of-acme" },
  });
  expect((await receiver.nth("forward", 1))["connectionId"]).toBe(connectionId);
  expect(codesOf(vendor)).toEqual(["grant"]);

  // The vendor's grant fails, time after time.
  const late = installed("other", "refused");
  expect(await tell(sign(late, CLIENT_SECRET), late)).toBe(200);
  expect(await receiver.nth("auth", 1)).toMatchObject({
    operation: "creation",
    success: false,
    connectionId: other.connectionId,
    error: { type: expect.any(String), description: expect.any(String) },
  });
  const failed = {
    state: "error",
    error: { type: expect.any(String), message: expect.any(String) },
  };
  expect((await other.result("GET", "/connect/session/result")).body.data).toEqual(failed);
  const stillWaiting = expect.objectContaining({ is_pending: true });
  // As after any failure, the session may try again.
  const reported = { reported: [stillWaiting, failed], isOver: false };
  await expect.poll(() => other.events).toEqual(reported);
  expect(receiver.refused).toBe(0);
  await platform.stop();
}, 120_000);

function answerGrants({ body }: { body: string }) {
  const { code } = Object(JSON.parse(body));
  if (code !== "grant") return { status: 400, body: '{"error":"invalid_grant"}' };
  const expiresAt = new Date(Date.now() + 8 * 3_600_000).toISOString();
  const answer = { id: "1", token: `token for ${code}`, refreshToken: "r", expiresAt };
  return { status: 201, body: JSON.stringify(answer) };
}

function codesOf({ received }: TokenServer): unknown[] {
  return received.map(({ body }) => Object(JSON.parse(body)).code);
}
