import { createWriteStream } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { expect, test } from "vitest";
import { readConfig } from "../../packages/server/src/config.ts";
import { createEmptyDatabase } from "../../packages/server/src/foundation/testing/empty-database.ts";
import { backUp, moveLogs, restore, Secret } from "../../packages/server/src/index.ts";
import { makeDataFolder } from "../launcher/data-folder.ts";
import { startPlatformProcess } from "../launcher/platform-process.ts";
import { openLineTo } from "../outages/line.ts";
import { type Call, callerOf, fixture } from "../upgrades/fill-platform.ts";

type Settings = Readonly<Record<string, string>>;

const passphrase = new Secret("correct horse battery staple");

function configOf(env: Settings) {
  const { config, problems } = readConfig(env);
  if (config === undefined) throw new Error(problems.join(", "));
  return config;
}

async function withPlatform<Result>(env: Settings, work: (call: Call) => Promise<Result>) {
  const platform = await startPlatformProcess({
    dataDir: env["SVC_DATA_DIR"] ?? "",
    env,
    readyWithinMs: 180_000,
  });
  try {
    const call = callerOf(platform.url);
    // The schema of the logs may take longer than a start waits for it.
    const ready = async () => (await call("GET", "/ready")).body;
    await expect.poll(ready, { timeout: 120_000 }).toEqual({ result: "ok" });
    return await work(call);
  } finally {
    await platform.stop();
  }
}

async function listLogged(connectionString: string): Promise<string[]> {
  return await listColumn(connectionString, "select id as value from operations order by id");
}

async function listColumn(connectionString: string, query: string): Promise<string[]> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    const { rows } = await client.query<{ value: string }>(query);
    return rows.map(({ value }) => value);
  } finally {
    await client.end();
  }
}

const listIds = async (call: Call) => {
  const { body } = await call("GET", "/logs/operations?limit=100");
  const ids: string[] = body.data.map(({ id }: { id: string }) => id);
  return ids.toSorted();
};

const change = async (call: Call, name: string) =>
  await call("POST", "/integrations", { unique_key: name, provider: "private-api-bearer" });

test("logs move to a server of their own while it writes, are backed up from there, and come back", {
  timeout: 600_000,
}, async () => {
  await using folder = await makeDataFolder();
  await using other = await makeDataFolder();
  await using first = await createEmptyDatabase();
  await using logs = await createEmptyDatabase();
  await using restored = await createEmptyDatabase();
  const plain = { SVC_DATA_DIR: folder.path, SVC_DATABASE_URL: first.connectionString };
  const apart = { ...plain, SVC_LOGS_DATABASE_URL: logs.connectionString };
  const copy = { SVC_DATA_DIR: other.path, SVC_DATABASE_URL: restored.connectionString };

  const before = await withPlatform({ ...plain, SVC_BOOTSTRAP_KEY: fixture.key }, async (call) => {
    for (const name of ["a", "b", "c"]) await change(call, name);
    return await listIds(call);
  });
  const during = await withPlatform(apart, async (call) => {
    const empty = await listIds(call);
    await change(call, "d");
    const moved = await moveLogs(configOf(apart), { back: false });
    await change(call, "e");
    return { empty, moved, after: await listIds(call) };
  });
  const again = await moveLogs(configOf(apart), { back: false });
  const [atFirst, atLogs] = [
    await listLogged(first.connectionString),
    await listLogged(logs.connectionString),
  ];
  const path = join(folder.path, "jackfield.backup");
  const target = createWriteStream(path);
  await backUp(configOf(apart), { target, passphrase, recipients: [], withKey: true });
  await restore(configOf(copy), { path, passphrase, identities: [] });
  const atCopy = await listLogged(restored.connectionString);
  await moveLogs(configOf(apart), { back: true });
  const back = await withPlatform(plain, listIds);

  expect(before.length).toBeGreaterThanOrEqual(3);
  expect(during.empty).toEqual([]);
  expect(during.moved.rows).toBeGreaterThanOrEqual(before.length);
  expect(during.after).toEqual(expect.arrayContaining(before));
  expect(during.after).toHaveLength(before.length + 2);
  expect(again.rows).toBe(0);
  expect(atFirst).toEqual([]);
  expect(atLogs).toEqual(during.after);
  expect(atCopy).toEqual(atLogs);
  expect(back).toEqual(atLogs);
  expect(await listLogged(logs.connectionString)).toEqual([]);
});

test("while the log's server is away a backup fails, and one without logs holds all else", {
  timeout: 300_000,
}, async () => {
  await using folder = await makeDataFolder();
  await using other = await makeDataFolder();
  await using first = await createEmptyDatabase();
  await using logs = await createEmptyDatabase();
  await using restored = await createEmptyDatabase();
  const { line, url } = await openLineTo(logs.connectionString);
  await using _line = line;
  const apart = {
    SVC_DATA_DIR: folder.path,
    SVC_DATABASE_URL: first.connectionString,
    SVC_LOGS_DATABASE_URL: url,
  };
  const copy = { SVC_DATA_DIR: other.path, SVC_DATABASE_URL: restored.connectionString };
  const options = { passphrase, recipients: [], withKey: true };
  await withPlatform({ ...apart, SVC_BOOTSTRAP_KEY: fixture.key }, async (call) => {
    await change(call, "a");
    await expect.poll(async () => await listIds(call)).toHaveLength(1);
  });
  line.refuse();

  const failed = backUp(configOf(apart), {
    ...options,
    target: createWriteStream(join(folder.path, "failed.backup")),
  });
  await expect(failed).rejects.toThrow();
  const path = join(folder.path, "jackfield.backup");
  const target = createWriteStream(path);
  await backUp(configOf(apart), { ...options, target, withoutLogs: true });
  await restore(configOf(copy), { path, passphrase, identities: [] });

  expect(await listLogged(restored.connectionString)).toEqual([]);
  const keys = await listColumn(
    restored.connectionString,
    "select unique_key as value from integrations",
  );
  expect(keys).toEqual(["a"]);
});
