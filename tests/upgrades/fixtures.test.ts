import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readConfig } from "../../packages/server/src/config.ts";
import { createEmptyDatabase } from "../../packages/server/src/foundation/testing/empty-database.ts";
import { changeQuarantine, restore, Secret, verifyVault } from "../../packages/server/src/index.ts";
import { makeDataFolder } from "../launcher/data-folder.ts";
import { startPlatformProcess } from "../launcher/platform-process.ts";
import { callerOf, fixture, runSync } from "./fill-platform.ts";

const folder = join(import.meta.dirname, "fixtures");
const fixtures = readdirSync(folder).filter((name) => name.endsWith(".backup"));

test("there is a fixture of the first schema, and of every release that the list of changes has", async () => {
  const changes = await readFile(join(import.meta.dirname, "../../CHANGELOG.md"), "utf8");
  const releases = [...changes.matchAll(/^## \[(\d[\d.]*)\]/gm)].map(([, version]) => version);

  expect(releases).toContain("0.2.0");
  for (const version of ["0.1.0", ...releases]) expect(fixtures).toContain(`${version}.backup`);
});

test.each(fixtures)(
  "the database of %s is migrated, opened and used",
  async (name) => {
    await using database = await createEmptyDatabase();
    await using data = await makeDataFolder();
    const env = { SVC_DATABASE_URL: database.connectionString, SVC_DATA_DIR: data.path };
    const { config } = readConfig(env);
    if (config === undefined) throw new Error("the settings are refused");

    const passphrase = new Secret(fixture.passphrase);
    const restored = await restore(config, {
      path: join(folder, name),
      passphrase,
      identities: [],
    });
    const columns = await verifyVault(config);
    const platform = await startPlatformProcess({ dataDir: data.path, env });
    const call = callerOf(platform.url);
    const inQuarantine = await call("GET", "/ready");
    const keyed = await call("GET", "/connections/acme?provider_config_key=api");
    const oauth = await call(
      "GET",
      "/connections/acme?provider_config_key=harbor&refresh_token=true",
    );
    const records = await call("GET", "/records?model=Contact");
    await changeQuarantine(config, "off");
    await runSync(call);
    const greeting = await call("POST", "/action/trigger", {
      action_name: "greet",
      input: { name: "Ada" },
    });
    const code = await platform.stop();

    expect(`${restored.version}.backup`).toBe(name);
    expect(columns.filter(({ failed }) => failed > 0)).toEqual([]);
    expect(columns.find((column) => column.name === "connections.credentials")?.ok).toBe(2);
    expect(inQuarantine.body.quarantined_since).toMatch(/^20/);
    expect(keyed.body.credentials.apiKey).toBe(fixture.apiKey);
    expect(oauth.body.credentials).toMatchObject({
      access_token: fixture.oauth.accessToken,
      refresh_token: fixture.oauth.refreshToken,
    });
    expect(records.body.records.map((record: { name: string }) => record.name)).toEqual(
      fixture.records,
    );
    expect(greeting).toEqual({ status: 200, body: "Hello, Ada" });
    expect(code).toBe(0);
  },
  60_000,
);
