import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Config, readConfig } from "../../packages/server/src/config.ts";
import { createEmptyDatabase } from "../../packages/server/src/foundation/testing/empty-database.ts";
import {
  backUp,
  changeQuarantine,
  restore,
  Secret,
  verifyVault,
} from "../../packages/server/src/index.ts";
import { makeDataFolder } from "../launcher/data-folder.ts";
import { startPlatformProcess } from "../launcher/platform-process.ts";
import { callerOf, fillPlatform, fixture, until } from "../upgrades/fill-platform.ts";

// One installation, backed up while it writes and when it stands still; copies of it are restored elsewhere.

const passphrase = new Secret("correct horse battery staple");
const resources = new AsyncDisposableStack();
let source: Installation;
let provider: Awaited<ReturnType<typeof startProvider>>;
let backupPath: string;

interface Installation {
  readonly config: Config;
  readonly env: Readonly<Record<string, string>>;
  readonly dataDir: string;
  readonly url: string;
}

/** Settings for an empty database and a data folder of their own. */
async function newInstallation(): Promise<Installation> {
  const database = resources.use(await createEmptyDatabase());
  const folder = resources.use(await makeDataFolder());
  const env = { SVC_DATABASE_URL: database.connectionString, SVC_DATA_DIR: folder.path };
  const { config } = readConfig(env);
  if (config === undefined) throw new Error("the settings are refused");
  return { config, env, dataDir: folder.path, url: database.connectionString };
}

/** A provider that renews tokens, and a receiver that takes no webhook; counts what comes, by path. */
async function startProvider() {
  const seen = new Map<string, number>();
  const server = createServer((request, response) => {
    const path = request.url ?? "";
    seen.set(path, (seen.get(path) ?? 0) + 1);
    const token = { access_token: "new", refresh_token: "next", expires_in: 3600 };
    response.writeHead(path === "/token" ? 200 : 500, { "content-type": "application/json" });
    response.end(JSON.stringify(token));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

async function query<Row extends pg.QueryResultRow>(url: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}

async function countRows(url: string): Promise<Record<string, number>> {
  const tables = await query<{ name: string }>(
    url,
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
     where schemaname in ('public', 'graphile_worker') and tablename not in ('quarantine', 'migrations', 'dashboard_files')
     order by 1`,
  );
  const counts: Record<string, number> = {};
  for (const { name } of tables) {
    const [row] = await query<{ rows: number }>(url, `select count(*)::int as rows from ${name}`);
    counts[name] = row?.rows ?? 0;
  }
  return counts;
}

async function makeBackup({ config, dataDir }: Installation, name: string): Promise<string> {
  const path = join(dataDir, name);
  const target = createWriteStream(path);
  await backUp(config, { passphrase, recipients: [], withKey: true, target });
  return path;
}

async function addExpired(call: ReturnType<typeof callerOf>): Promise<void> {
  await call("POST", "/integrations", {
    unique_key: "renewing",
    provider: "oauth2-generic",
    credentials: { type: "OAUTH2", client_id: "client", client_secret: "secret" },
    integration_config: {
      authorization_url: `${provider.url}/authorize`,
      token_url: `${provider.url}/token`,
      base_url: provider.url,
    },
  });
  const made = await call("POST", "/connections", {
    provider_config_key: "renewing",
    connection_id: "expired",
    credentials: {
      type: "OAUTH2",
      access_token: "old",
      refresh_token: "the only one",
      expires_at: new Date(Date.now() - 60_000).toISOString(),
    },
  });
  expect(made.status).toBe(201);
}

beforeAll(async () => {
  provider = resources.use(await startProvider());
  source = await newInstallation();
  const env = { ...source.env, SVC_BOOTSTRAP_KEY: fixture.key };
  const platform = await startPlatformProcess({ dataDir: source.dataDir, env });
  const call = callerOf(platform.url);
  await fillPlatform(call);
  await call("PATCH", "/environment/webhooks", { primary_url: `${provider.url}/in` });
  await platform.stop();
  // No worker any more: what is due now stays so.
  const api = await startPlatformProcess({
    dataDir: source.dataDir,
    env: { ...env, SVC_ROLES: "api" },
  });
  await addExpired(callerOf(api.url));
  await expect(changeQuarantine(source.config, "on")).rejects.toThrow(/stop all of its processes/);
  await api.stop();
  await query(
    source.url,
    "update syncs set paused = false, next_run_at = now() - interval '1 hour'",
  );
  await query(
    source.url,
    `update webhook_deliveries set url = '${provider.url}/in', next_attempt_at = now() where state = 'waiting'`,
  );
  await query(
    source.url,
    "update connections set next_refresh_at = now() where connection_id = 'expired'",
  );
  await mkdir(join(source.dataDir, "spool"), { recursive: true });
  await writeFile(join(source.dataDir, "spool", "kept"), "a token answer");
  provider.seen.clear();
  backupPath = await makeBackup(source, "still.backup");
}, 240_000);
afterAll(async () => await resources[Symbol.asyncDispose]());

test("a copy opens every secret, has all rows, and does nothing until it may", async () => {
  const copy = await newInstallation();

  const report = await restore(copy.config, { path: backupPath, passphrase, identities: [] });

  expect(report.skipped).toEqual([]);
  expect(await countRows(copy.url)).toEqual(await countRows(source.url));
  const columns = await verifyVault(copy.config);
  expect(columns.filter(({ failed }) => failed > 0)).toEqual([]);
  expect(columns.find(({ name }) => name === "connections.credentials")?.ok).toBe(3);
  expect(await readFile(join(copy.dataDir, "spool", "kept"), "utf8")).toBe("a token answer");
  expect(await readFile(join(copy.dataDir, "encryption.key"), "utf8")).toBe(
    await readFile(join(source.dataDir, "encryption.key"), "utf8"),
  );
  const [syncBefore] = await readSyncs(copy.url);

  const platform = await startPlatformProcess({ dataDir: copy.dataDir, env: copy.env });
  const call = callerOf(platform.url);
  const ready = await call("GET", "/ready");
  const keyed = await call("GET", "/connections/acme?provider_config_key=api");
  const expired = await call("GET", "/connections/expired?provider_config_key=renewing");
  const forced = await call(
    "GET",
    "/connections/acme?provider_config_key=harbor&force_refresh=true",
  );
  // A worker that may takes what is due within a fraction of a second.
  await sleep(3000);

  expect(platform.output).toContain("QUARANTINE since");
  expect([ready.status, ready.body.quarantined_since]).toEqual([200, expect.any(String)]);
  expect(keyed.body.credentials.apiKey).toBe(fixture.apiKey);
  for (const { status, body } of [expired, forced]) {
    expect([status, body.error.code]).toEqual([503, "quarantined"]);
    expect(body.error.message).toContain("jackfield resume");
  }
  expect([...provider.seen]).toEqual([]);
  expect(await readSyncs(copy.url)).toEqual([syncBefore]);

  expect(await changeQuarantine(copy.config, "off")).toBe(true);
  await until(async () => {
    const [sync] = await readSyncs(copy.url);
    const { seen } = provider;
    const isAtWork = seen.has("/token") && seen.has("/in") && sync?.last !== syncBefore?.last;
    return isAtWork || { seen: [...seen], sync };
  });
  const renewed = await call("GET", "/connections/expired?provider_config_key=renewing");
  const after = await call("GET", "/ready");
  await platform.stop();

  expect(renewed.body.credentials.access_token).toBe("new");
  expect(provider.seen.get("/token")).toBe(1);
  expect(after.body).toEqual({ result: "ok" });
}, 240_000);

async function readSyncs(url: string) {
  return await query<{ last: string }>(url, "select last_sync_date::text as last from syncs");
}

test("what is no whole backup, or not opened, changes nothing", async () => {
  const target = await newInstallation();
  const whole = await readFile(backupPath);
  const path = join(target.dataDir, "given");
  const tryIt = async (bytes: Buffer, secret = passphrase) => {
    await writeFile(path, bytes);
    const request = { path, passphrase: secret, identities: [] };
    return await restore(target.config, request).then(
      () => "restored",
      (error: Error) => error.message,
    );
  };
  const altered = Buffer.from(whole);
  altered.writeUInt8(altered.readUInt8(whole.length - 50) ^ 1, whole.length - 50);

  const outcomes = {
    wrong: await tryIt(whole, new Secret("correct horse battery stable")),
    cut: await tryIt(whole.subarray(0, whole.length - 1)),
    altered: await tryIt(altered),
  };

  expect(outcomes.wrong).toContain("does not open with this passphrase");
  expect(outcomes.cut).toContain("truncated, was altered");
  expect(outcomes.altered).toContain("truncated, was altered");
  expect(await query(target.url, "select from pg_tables where schemaname = 'public'")).toEqual([]);
  await rm(path);
  await expect(readFile(join(target.dataDir, "encryption.key"))).rejects.toThrow(/ENOENT/);
}, 240_000);

test("a restore that is cut off starts nowhere, starts over, and replaces nothing", async () => {
  const target = await newInstallation();
  const request = { path: backupPath, passphrase, identities: [] };
  await writeFile(join(target.dataDir, "spool"), "in the way");

  await expect(restore(target.config, request)).rejects.toThrow(/EEXIST/);
  const start = startPlatformProcess({ dataDir: target.dataDir, env: target.env });
  const refusal = await start.catch((error: Error) => error.message);
  await rm(join(target.dataDir, "spool"));
  const report = await restore(target.config, request);

  expect(refusal).toContain("Run `jackfield restore` again");
  expect(report.rows).toBeGreaterThan(50);
  expect(await countRows(target.url)).toEqual(await countRows(source.url));
  await expect(restore(target.config, request)).rejects.toThrow(/is not empty/);
}, 240_000);

test("a backup under writes shows one moment", async () => {
  const copy = await newInstallation();
  const writer = new pg.Client({ connectionString: source.url });
  await writer.connect();
  let isOver = false;
  let pairs = 0;
  const writing = (async () => {
    // Two tables change together, the one that is read later last.
    for (; !isOver; pairs += 1) {
      await writer.query(`with account as (
          insert into accounts (id, name, created_at) values (gen_random_uuid(), 'pair', now()) returning id
        ), environment as (
          insert into environments (id, account_id, name, created_at)
            select gen_random_uuid(), id, 'pair', now() from account returning id
        ) insert into data_keys (id, purpose, environment_id, created_at)
            select gen_random_uuid(), 'seal', id, now() from environment`);
    }
  })();
  await sleep(300);
  const before = pairs;
  const path = await makeBackup(source, "moving.backup");
  const after = pairs;
  isOver = true;
  await writing;
  await writer.end();
  await restore(copy.config, { path, passphrase, identities: [] });

  const [counts] = await query<Record<"accounts" | "environments" | "keys", number>>(
    copy.url,
    `select (select count(*)::int from accounts where name = 'pair') as accounts,
       (select count(*)::int from environments where name = 'pair') as environments,
       (select count(*)::int from data_keys k join environments e on e.id = k.environment_id
         where e.name = 'pair') as keys`,
  );
  expect(after).toBeGreaterThan(before);
  expect(counts?.accounts).toBeGreaterThanOrEqual(before);
  expect(counts?.accounts).toBeLessThanOrEqual(after);
  expect(counts?.environments).toBe(counts?.accounts);
  expect(counts?.keys).toBe(counts?.accounts);
}, 240_000);
