import { randomUUID } from "node:crypto";
import { approveAuthorization, startSimulatedProvider } from "@jackfield/simulator";
import { expect, test } from "vitest";
import { createServerDatabase } from "../../packages/server/src/foundation/testing/index.ts";
import { makeDataFolder } from "../launcher/data-folder.ts";
import { type PlatformProcess, startPlatformProcess } from "../launcher/platform-process.ts";
import { apiOf } from "./api.ts";
import { startWebhookReceiver } from "./webhook-receiver.ts";

// Every field of the auth webhook, through the calls that cause it.

/** The address of the authorization server, and what the browser keeps meanwhile. */
async function startAuthorization(platform: PlatformProcess, token: string) {
  const path = `/oauth/connect/harbor?connect_session_token=${token}`;
  const response = await fetch(`${platform.url}${path}`, { redirect: "manual" });
  const cookies = response.headers.getSetCookie().map((text) => text.split(";")[0]);
  return { url: response.headers.get("location") ?? "", headers: { cookie: cookies.join("; ") } };
}

async function authorize(platform: PlatformProcess, token: string): Promise<void> {
  const { url, headers } = await startAuthorization(platform, token);
  await fetch(await approveAuthorization(url), { headers });
}

test("creation, override and refresh tell every field, and the toggles stop them", async () => {
  await using database = await createServerDatabase();
  await using folder = await makeDataFolder();
  const key = randomUUID();
  const platform = await startPlatformProcess({
    dataDir: folder.path,
    env: { SVC_DATABASE_URL: database.connectionString, SVC_BOOTSTRAP_KEY: key },
  });
  await using provider = await startSimulatedProvider({
    redirectUris: [`${platform.url}/oauth/callback`],
    contacts: 1,
    consent: "automatic",
  });
  const api = apiOf(platform.url, key);
  const settings = await api("GET", "/environment/webhooks");
  await using receiver = await startWebhookReceiver(settings.body.data.signing_key);
  await api("PATCH", "/environment/webhooks", { body: { primary_url: receiver.url } });
  await api("POST", "/integrations", {
    body: {
      provider: "oauth2-generic",
      unique_key: "harbor",
      credentials: {
        type: "OAUTH2",
        client_id: provider.oauth.clientId,
        client_secret: provider.oauth.clientSecret,
      },
      integration_config: {
        authorization_url: provider.oauth.authorizationUrl,
        token_url: provider.oauth.tokenUrl,
        base_url: provider.origin,
      },
    },
  });
  const common = {
    from: "svc",
    type: "auth",
    providerConfigKey: "harbor",
    provider: "oauth2-generic",
    environment: "dev",
    authMode: "OAUTH2",
  };
  const tags = { end_user_id: "u1", end_user_email: "a@example.com", organization_id: "o1" };
  const endUser = {
    endUserId: "u1",
    endUserEmail: "a@example.com",
    organizationId: "o1",
    tags: {},
  };
  const newSession = async (path = "/connect/sessions", body: object = { tags }) =>
    (await api("POST", path, { body })).body.data.token;

  const { url, headers } = await startAuthorization(platform, await newSession());
  const state = new URL(url).searchParams.get("state") ?? "";
  const callback = `${platform.url}/oauth/callback?error=access_denied&state=${state}`;
  await fetch(callback, { headers });
  expect(await receiver.nth("auth", 0)).toEqual({
    ...common,
    operation: "creation",
    success: false,
    connectionId: expect.any(String),
    tags,
    endUser,
    error: { type: "authorization_cancelled", description: expect.any(String) },
  });

  await authorize(platform, await newSession());
  const created = await receiver.nth("auth", 1);
  const connectionId = String(created["connectionId"]);
  const known = { ...common, connectionId, tags, endUser };
  expect(created).toEqual({ ...known, operation: "creation", success: true, sequence: 1 });

  const again = { connection_id: connectionId, integration_id: "harbor" };
  const session = await newSession("/connect/sessions/reconnect", again);
  await authorize(platform, session);
  expect(await receiver.nth("auth", 2)).toEqual({
    ...known,
    operation: "override",
    success: true,
    sequence: 2,
  });

  const breaking = async (): Promise<string> => {
    const id = randomUUID();
    const expires_at = new Date(Date.now() + 3_600_000).toISOString();
    const credentials = { type: "OAUTH2", access_token: "a", refresh_token: "none", expires_at };
    const body = { provider_config_key: "harbor", connection_id: id, tags, credentials };
    const made = await api("POST", "/connections", { body });
    const path = `/connections/${id}?provider_config_key=harbor&force_refresh=true`;
    expect([made.status, (await api("GET", path)).status]).toEqual([201, 424]);
    return id;
  };
  const lostId = await breaking();
  expect(await receiver.nth("auth", 3)).toEqual({
    ...common,
    operation: "creation",
    success: true,
    connectionId: lostId,
    tags,
    sequence: 1,
  });
  expect(await receiver.nth("auth", 4)).toEqual({
    ...common,
    operation: "refresh",
    success: false,
    connectionId: lostId,
    tags,
    error: { type: "invalid_credentials", description: expect.any(String) },
    sequence: 2,
  });

  await api("PATCH", "/environment/webhooks", {
    body: { on_auth_creation: false, on_auth_refresh_error: false },
  });
  await breaking();
  const { body: deliveries } = await api("GET", "/webhooks/deliveries");
  expect(deliveries.data).toHaveLength(5);
  expect(receiver.refused).toBe(0);
  await platform.stop();
}, 90_000);
