import { cp } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readConfig } from "../../packages/server/src/config.ts";
import { createEmptyDatabase } from "../../packages/server/src/foundation/testing/empty-database.ts";
import { moveDatabase } from "../../packages/server/src/index.ts";
import { makeDataFolder } from "../launcher/data-folder.ts";
import { startPlatformProcess } from "../launcher/platform-process.ts";
import { type Call, callerOf, fixture } from "../upgrades/fill-platform.ts";

type Settings = Readonly<Record<string, string>>;

function configOf(env: Settings) {
  const { config } = readConfig({ ...env, SVC_LOG_LEVEL: "error" });
  if (config === undefined) throw new Error("the settings are refused");
  return config;
}

async function withPlatform<Result>(env: Settings, work: (call: Call) => Promise<Result>) {
  const platform = await startPlatformProcess({ dataDir: env["SVC_DATA_DIR"] ?? "", env });
  try {
    return await work(callerOf(platform.url));
  } finally {
    await platform.stop();
  }
}

test("an installation moves from the embedded database to a server, and back", async () => {
  await using folder = await makeDataFolder();
  await using other = await makeDataFolder();
  await using database = await createEmptyDatabase();
  const embedded = { SVC_DATA_DIR: folder.path };
  const server = { ...embedded, SVC_DATABASE_URL: database.connectionString };
  const back = { ...server, SVC_DATA_DIR: other.path };
  const readKey = async (call: Call) =>
    (await call("GET", "/connections/acme?provider_config_key=api")).body.credentials.apiKey;

  await withPlatform({ ...embedded, SVC_BOOTSTRAP_KEY: fixture.key }, async (call) => {
    await call("POST", "/integrations", { unique_key: "api", provider: "private-api-bearer" });
    await call("POST", "/connections", {
      provider_config_key: "api",
      connection_id: "acme",
      credentials: { type: "API_KEY", apiKey: fixture.apiKey },
    });
    await expect(moveDatabase(configOf(server), { to: "server" })).rejects.toThrow(/in use|uses/);
  });
  const moved = await moveDatabase(configOf(server), { to: "server" });
  const onServer = await withPlatform(server, async (call) => {
    await cp(join(folder.path, "encryption.key"), join(other.path, "encryption.key"));
    await expect(moveDatabase(configOf(back), { to: "embedded" })).rejects.toThrow(/stop all/);
    return { key: await readKey(call), ready: (await call("GET", "/ready")).body };
  });
  const left = await withPlatform(embedded, async (call) => (await call("GET", "/ready")).body);
  await expect(moveDatabase(configOf(server), { to: "embedded" })).rejects.toThrow(/not empty/);
  await moveDatabase(configOf(back), { to: "embedded" });
  const again = await withPlatform({ SVC_DATA_DIR: other.path }, async (call) => ({
    key: await readKey(call),
    ready: (await call("GET", "/ready")).body,
  }));

  expect(moved.rows).toBeGreaterThan(20);
  expect(onServer).toEqual({ key: fixture.apiKey, ready: { result: "ok" } });
  expect(left.quarantined_since).toMatch(/^20/);
  expect(again).toEqual(onServer);
}, 90_000);
