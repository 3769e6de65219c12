import { createWriteStream } from "node:fs";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { expect, inject, test } from "vitest";
import { readConfig } from "../../packages/server/src/config.ts";
import { administer } from "../../packages/server/src/foundation/testing/administer.ts";
import { createEmptyDatabase } from "../../packages/server/src/foundation/testing/empty-database.ts";
import { backUp, moveDatabase, restore, Secret } from "../../packages/server/src/index.ts";
import { requirePasswords, signIn } from "../../packages/server/src/sql-access/testing/index.ts";
import { makeDataFolder } from "../launcher/data-folder.ts";
import { startPlatformProcess } from "../launcher/platform-process.ts";
import { type Call, callerOf, fixture } from "../upgrades/fill-platform.ts";

// Roles are of a cluster and in no backup: what an installation with a login becomes elsewhere.

const passphrase = new Secret("correct horse battery staple");
const path = "/records/sql-access";

async function newInstallation(stack: AsyncDisposableStack) {
  const { connectionString } = stack.use(await createEmptyDatabase());
  const folder = stack.use(await makeDataFolder());
  const env = {
    ...{ SVC_DATABASE_URL: connectionString, SVC_DATA_DIR: folder.path },
    ...{ SVC_RECORD_STORAGE: "plain", SVC_SQL_ACCESS: "on", SVC_BOOTSTRAP_KEY: fixture.key },
  };
  return { env, config: configOf(env), folder: folder.path, connectionString };
}

function configOf(env: Readonly<Record<string, string>>) {
  const { config } = readConfig({ ...env, SVC_LOG_LEVEL: "error" });
  if (config === undefined) throw new Error("the settings are refused");
  return config;
}

/** Resolves to what it printed as well. */
async function withPlatform<Result>(
  env: Readonly<Record<string, string>>,
  work: (call: Call) => Promise<Result>,
) {
  const platform = await startPlatformProcess({ dataDir: env["SVC_DATA_DIR"] ?? "", env });
  try {
    return { result: await work(callerOf(platform.url)), output: platform.output };
  } finally {
    await platform.stop();
  }
}

/** What the copy says of its login, and the login that a new password makes. */
async function renew(call: Call) {
  const { data } = (await call("GET", path)).body;
  const renewed = (await call("POST", `${path}/rotate`)).body.data;
  return { state: data.state, renewed };
}

async function canSignIn(url: string, login: { role: string; password: string }) {
  const client = await signIn(url, login).catch(() => undefined);
  await client?.end();
  return client !== undefined;
}

test("a restored or moved installation needs a new password, and fails nowhere without the role", async () => {
  await using stack = new AsyncDisposableStack();
  await requirePasswords();
  const logins: { role: string; password: string }[] = [];
  // Once their databases are gone.
  stack.defer(async () => {
    const { url } = inject("databaseServer");
    for (const { role } of logins) await administer(url, `drop role ${role}`);
  });
  const [source, copy, moved] = [
    await newInstallation(stack),
    await newInstallation(stack),
    await newInstallation(stack),
  ];
  const { result: login } = await withPlatform(
    source.env,
    async (call) => (await call("POST", path)).body.data,
  );
  const file = join(source.folder, "of-a-login.backup");
  const target = createWriteStream(file);
  await backUp(source.config, { passphrase, recipients: [], withKey: true, target });

  const report = await restore(copy.config, { path: file, passphrase, identities: [] });
  const restored = await withPlatform(copy.env, renew);
  const embedded = { SVC_DATA_DIR: source.folder };
  await moveDatabase(source.config, { to: "embedded" });
  const inEmbedded = await withPlatform(embedded, async (call) => (await call("GET", path)).body);
  await cp(join(source.folder, "encryption.key"), join(moved.folder, "encryption.key"));
  const back = configOf({ ...moved.env, SVC_DATA_DIR: source.folder });
  await moveDatabase(back, { to: "server" });
  const again = await withPlatform(moved.env, renew);
  logins.push(login, restored.result.renewed, again.result.renewed);

  expect(report.skipped).toEqual([]);
  expect(restored.result.state).toBe("needs_new_password");
  expect(again.result.state).toBe("needs_new_password");
  expect(inEmbedded.result.error.code).toBe("feature_disabled");
  for (const { output } of [restored, inEmbedded, again])
    expect(output).not.toMatch(/sql_access\./);
  expect(await canSignIn(source.connectionString, login)).toBe(true);
  expect(await canSignIn(copy.connectionString, restored.result.renewed)).toBe(true);
  expect(await canSignIn(moved.connectionString, again.result.renewed)).toBe(true);
}, 120_000);
