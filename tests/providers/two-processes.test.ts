import { randomUUID } from "node:crypto";
import { expect, test, vi } from "vitest";
import { startTokenServer } from "../../packages/server/src/auth-modes/testing/token-server.ts";
import { createServerDatabase } from "../../packages/server/src/foundation/testing/index.ts";
import { apiOf } from "../journeys/api.ts";
import { makeDataFolder } from "../launcher/data-folder.ts";
import { startPlatformProcess } from "../launcher/platform-process.ts";

function entryOf(base: string) {
  return {
    id: "lagoon",
    display_name: "Lagoon",
    categories: ["crm"],
    auth_mode: "API_KEY",
    base_url: base,
    api_key: { placement: "header", name: "x-key", value: "{{credentials.apiKey}}" },
    credentials: { apiKey: { title: "Key", description: "Made under Settings.", secret: true } },
  };
}

test("a change of a custom provider counts in another process, which has used the old entry", async () => {
  await using vendor = await startTokenServer();
  await using database = await createServerDatabase();
  await using folder = await makeDataFolder();
  const key = randomUUID();
  const env = {
    SVC_DATABASE_URL: database.connectionString,
    SVC_BOOTSTRAP_KEY: key,
    SVC_ROLES: "api",
  };
  await using platforms = new AsyncDisposableStack();
  const start = async () => {
    const platform = await startPlatformProcess({ dataDir: folder.path, env });
    platforms.defer(async () => void (await platform.stop()));
    return apiOf(platform.url, key);
  };
  // One after the other: the first makes the environments.
  const here = await start();
  const there = await start();
  const overrides = { simulator_url: vendor.url };
  vendor.respond = ({ headers }) => ({
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ host: headers?.host }),
  });
  const callThere = async () => {
    const headers = { "provider-config-key": "lagoon", "connection-id": "c" };
    const { body } = await there("GET", "/proxy/thing", { headers });
    return body.host;
  };

  await here("POST", "/custom-providers", { body: { entry: entryOf("https://one.example") } });
  await here("POST", "/integrations", {
    body: {
      provider: "lagoon",
      unique_key: "lagoon",
      settings: { overrides, provider_version: "latest" },
    },
  });
  await here("POST", "/connections", {
    body: {
      provider_config_key: "lagoon",
      connection_id: "c",
      credentials: { type: "API_KEY", apiKey: "k" },
    },
  });
  await vi.waitFor(async () => expect(await callThere()).toBe("one.example"), 10_000);
  await here("PATCH", "/custom-providers/lagoon", {
    body: { entry: entryOf("https://two.example") },
  });
  const listed = await there("GET", "/providers/lagoon");

  expect(listed.body.data).toMatchObject({ custom_version: 2 });
  await vi.waitFor(async () => expect(await callThere()).toBe("two.example"), 10_000);
  const { body } = await there("GET", "/integrations/lagoon");
  expect(body.data.provider_version).toBe(2);
}, 120_000);
