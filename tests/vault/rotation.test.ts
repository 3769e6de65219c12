import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import pg from "pg";
import { expect, test } from "vitest";
import { createServerDatabase } from "../../packages/server/src/foundation/testing/index.ts";
import { type Api, apiOf } from "../journeys/api.ts";
import { commandLineArgs } from "../launcher/command-line-bundle.ts";
import { makeDataFolder } from "../launcher/data-folder.ts";
import { type PlatformProcess, startPlatformProcess } from "../launcher/platform-process.ts";

const ROTATIONS = 5;

type Settings = Readonly<Record<string, string>>;

function startCommand(args: readonly string[], env: Settings): ChildProcess {
  return spawn(process.execPath, [...commandLineArgs(), "vault", ...args], {
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
}

async function runCommand(
  args: readonly string[],
  env: Settings,
): Promise<{ code: number | null; output: string }> {
  const child = startCommand(args, env);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (text) => (output += text));
  await once(child, "close");
  return { code: child.exitCode, output };
}

/** An API that answers with the token that it was called with. */
async function startUpstream() {
  const server = createServer((request, response) => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ token: request.headers.authorization }));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const integration = "api";
const named = (id: string) => ({ "Provider-Config-Key": integration, "Connection-Id": id });

async function addConnection(api: Api, id: string): Promise<void> {
  const credentials = { type: "API_KEY", apiKey: `key of ${id}` };
  const body = { provider_config_key: integration, connection_id: id, credentials };
  expect((await api("POST", "/connections", { body })).status).toBe(201);
}

async function readConnection(api: Api, id: string): Promise<void> {
  const path = `/connections/${id}?provider_config_key=${integration}`;
  const { status, body } = await api("GET", path);
  expect([status, body.credentials?.apiKey]).toEqual([200, `key of ${id}`]);
}

async function callProvider(api: Api, id: string): Promise<void> {
  const { status, body } = await api("GET", "/proxy/echo", { headers: named(id) });
  expect([status, body.token]).toEqual([200, `Bearer key of ${id}`]);
}

/** Callers that read, call and create until stopped; each fault is noted. */
function startLoad(apis: readonly Api[], ids: string[]) {
  const failures: unknown[] = [];
  let calls = 0;
  let isStopped = false;
  const caller = async (api: Api, offset: number) => {
    for (let n = 0; !isStopped; n += 1) {
      const id = ids[(n * 7 + offset) % ids.length] ?? "";
      const call = n % 20 === 19 ? addConnection : n % 2 === 0 ? readConnection : callProvider;
      const subject = call === addConnection ? `made-${offset}-${n}` : id;
      await call(api, subject).catch((error: unknown) => failures.push(error));
      if (call === addConnection) ids.push(subject);
      calls += 1;
      // The commands under test need the machine, too.
      await setTimeout(5);
    }
  };
  const running = apis.map(caller);
  return {
    async stop() {
      isStopped = true;
      await Promise.all(running);
      return { calls, failures };
    },
  };
}

test("five rotations under load, each killed on its way: no request fails, and only the new key is needed", async () => {
  await using database = await createServerDatabase();
  await using folder = await makeDataFolder();
  await using upstream = await startUpstream();
  const key = randomUUID();
  const env = { SVC_DATABASE_URL: database.connectionString, SVC_BOOTSTRAP_KEY: key };
  await using stack = new AsyncDisposableStack();
  const start = async (): Promise<PlatformProcess> => {
    const platform = await startPlatformProcess({ dataDir: folder.path, env });
    stack.defer(async () => await platform.kill());
    return platform;
  };
  const platforms = [await start(), await start()];
  const apis = platforms.map(({ url }) => apiOf(url, key));
  const [api] = apis;
  if (api === undefined) throw new Error("there is a server");
  const config = { base_url: upstream.url };
  const provider = { provider: "private-api-bearer", unique_key: integration };
  await api("POST", "/integrations", { body: { ...provider, integration_config: config } });
  const ids = Array.from({ length: 40 }, (_, n) => `c-${n}`);
  for (const id of ids) await addConnection(api, id);
  const keyFile = join(folder.path, "encryption.key");
  const readKeys = async () => (await readFile(keyFile, "utf8")).trim().split("\n");
  const settings = { SVC_DATA_DIR: folder.path, ...env };
  const rotate = ["rotate", "--new-key", "--data-keys"];

  const load = startLoad(apis, ids);
  const endings: (number | null)[] = [];
  for (let round = 1; round <= ROTATIONS; round += 1) {
    const victim = startCommand(rotate, settings);
    const ended = once(victim, "close");
    // By turns: as soon as the new key is in the file, and after the first texts sealed again.
    const isKeyMade = async () => (await readKeys()).length === round + 1;
    if (round % 2 === 1) await expect.poll(isKeyMade, { timeout: 20_000 }).toBe(true);
    else await Promise.race([once(victim.stderr ?? victim, "data"), ended]);
    victim.kill("SIGKILL");
    await ended;
    const { code, output } = await runCommand(rotate, settings);
    if (code !== 0) throw new Error(output);
    endings.push(code);
  }
  const { calls, failures } = await load.stop();
  const verified = await runCommand(["verify"], settings);
  const usage = await countKeys(database.connectionString);
  await flipBit(database.connectionString);
  const damaged = await runCommand(["verify"], settings);
  await flipBit(database.connectionString);
  const keys = await readKeys();
  await Promise.all(platforms.map(async (platform) => await platform.stop()));
  await writeFile(keyFile, `${keys[0]}\n`);
  const restarted = await start();
  const reborn = apiOf(restarted.url, key);
  for (const id of ids) await readConnection(reborn, id);
  await restarted.stop();
  await writeFile(keyFile, `${keys.slice(1).join("\n")}\n`);
  const refused = await start().catch((error) => error);

  expect(failures).toEqual([]);
  expect(calls).toBeGreaterThan(200);
  expect(endings).toEqual(Array.from({ length: ROTATIONS }, () => 0));
  // More where the server had completed the change of a killed command by itself.
  expect(keys.length).toBeGreaterThan(ROTATIONS);
  expect(verified.output).toMatch(
    new RegExp(`connections.credentials +${ids.length} ok, 0 failed`),
  );
  expect(verified.output).not.toContain("replaced");
  expect(verified.code).toBe(0);
  expect(damaged.output).toMatch(/connections.credentials +\d+ ok, 1 failed \(first rows: \d+\)/);
  expect(damaged.output).not.toContain("key of");
  expect(damaged.code).toBe(1);
  expect(usage.masterKeys).toBe(1);
  expect(usage.textsByReplacedKeys).toBe(0);
  expect(refused.output).toContain("the encryption key does not open this database");
}, 180_000);

async function countKeys(connectionString: string) {
  const client = new pg.Client({ connectionString });
  await client.connect();
  const { rows } = await client.query(`
    select (select count(distinct master_key_id)::int from wrapped_data_keys) as "masterKeys",
           (select count(*)::int from connections c join data_keys k
               on substring(c.credentials from 2 for 16) = decode(replace(k.id::text, '-', ''), 'hex')
             where k.replaced_at is not null) as "textsByReplacedKeys"`);
  await client.end();
  return rows[0];
}

/** Of one connection's credentials; the second time it is as before. */
async function flipBit(connectionString: string): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query(`
    update connections set credentials = set_bit(credentials, 300, 1 - get_bit(credentials, 300))
     where id = (select min(id) from connections)`);
  await client.end();
}
