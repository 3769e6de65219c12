import { execFile } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { createServerDatabase } from "../../packages/server/src/foundation/testing/index.ts";
import { makeDataFolder } from "../launcher/data-folder.ts";
import { type PlatformProcess, startPlatformProcess } from "../launcher/platform-process.ts";
import { apiOf } from "./api.ts";

const integration = { provider: "unauthenticated", unique_key: "open" };

async function postgresProcesses(dataDir: string): Promise<number[]> {
  const { stdout } = await promisify(execFile)("ps", ["-eo", "pid,args"]);
  return stdout
    .split("\n")
    .filter((line) => line.includes("/bin/postgres") && line.includes(dataDir))
    .map((line) => Number(line.trim().split(" ")[0]));
}

test("the first start prints three keys once, and each opens what is its own", async () => {
  await using folder = await makeDataFolder();

  const first = await startPlatformProcess({ dataDir: folder.path });
  const { keys } = first;
  const dev = apiOf(first.url, keys.get("dev") ?? "");
  const account = apiOf(first.url, keys.get("account") ?? "");
  const environments = await account("GET", "/environments");
  const created = await dev("POST", "/integrations", { body: integration });
  const refused = await dev("GET", "/environments");
  const keyFile = await stat(join(folder.path, "encryption.key"));
  const exitCode = await first.stop();
  const second = await startPlatformProcess({ dataDir: folder.path });
  const kept = await apiOf(second.url, keys.get("dev") ?? "")("GET", "/integrations");
  const other = await apiOf(second.url, keys.get("prod") ?? "")("GET", "/integrations");
  await second.stop();

  expect([...keys.keys()]).toEqual(["dev", "prod", "account"]);
  expect(environments.body.data.map(({ name }: { name: string }) => name)).toEqual(["dev", "prod"]);
  expect(created.status).toBe(200);
  expect([refused.status, refused.body.error.code]).toEqual([403, "forbidden"]);
  expect(keyFile.mode & 0o777).toBe(0o600);
  expect(exitCode).toBe(0);
  expect(second.keys.size).toBe(0);
  expect(second.output).not.toContain("svc_key_");
  expect(kept.body.data).toHaveLength(1);
  expect(other.body.data).toHaveLength(0);
});

test("a second start on the same folder says so and leaves the first alone", async () => {
  await using folder = await makeDataFolder();
  const first = await startPlatformProcess({ dataDir: folder.path });

  const failure = await startPlatformProcess({ dataDir: folder.path }).catch((error) => error);
  const health = await fetch(`${first.url}/ready`);
  await first.stop();

  expect(failure.exitCode).toBe(1);
  expect(failure.message).toContain(folder.path);
  expect(failure.message).toContain(String(first.processId));
  expect(health.status).toBe(200);
});

test("kill -9 of everything and a new start lose nothing", async () => {
  await using folder = await makeDataFolder();
  const key = randomUUID();
  const env = { SVC_BOOTSTRAP_KEY: key };
  let platform = await startPlatformProcess({ dataDir: folder.path, env });
  const acknowledged: string[] = [];

  for (let round = 0; round < 3; round += 1) {
    const api = apiOf(platform.url, key);
    const killing = killAllAfter(
      platform,
      folder.path,
      () => acknowledged.length >= 5 * (round + 1),
    );
    for (let n = 0; n < 200; n += 1) {
      const unique_key = `i-${round}-${n}`;
      const answer = await api("POST", "/integrations", {
        body: { provider: "unauthenticated", unique_key },
      }).catch(() => undefined);
      if (answer === undefined) break;
      if (answer.status === 200) acknowledged.push(unique_key);
    }
    await killing;
    platform = await startPlatformProcess({ dataDir: folder.path, env });
  }
  const { body } = await apiOf(platform.url, key)("GET", "/integrations");
  await platform.stop();

  const stored = new Set(body.data.map((row: { unique_key: string }) => row.unique_key));
  expect(acknowledged.length).toBeGreaterThanOrEqual(15);
  expect(acknowledged.filter((name) => !stored.has(name))).toEqual([]);
});

async function killAllAfter(
  platform: PlatformProcess,
  dataDir: string,
  isTime: () => boolean,
): Promise<void> {
  await expect.poll(isTime, { timeout: 20_000, interval: 5 }).toBe(true);
  for (const processId of await postgresProcesses(dataDir)) process.kill(processId, "SIGKILL");
  await platform.kill();
}

test("a database that does not answer ends the start with what to do, and without a stack", async () => {
  await using folder = await makeDataFolder();
  const first = await startPlatformProcess({ dataDir: folder.path });
  await first.kill();
  const database = await postgresProcesses(folder.path);
  for (const processId of database) process.kill(processId, "SIGSTOP");

  // Half a minute for the answer, and as much to stop a database that does not listen.
  const given = { dataDir: folder.path, readyWithinMs: 120_000 };
  const failure = await startPlatformProcess(given).catch((error) => error);
  for (const processId of await postgresProcesses(folder.path)) process.kill(processId, "SIGKILL");
  const elsewhere = await startPlatformProcess({
    dataDir: folder.path,
    env: { SVC_DATABASE_URL: "postgres://app:s3cret-of-the-start@127.0.0.1:1/app" },
  }).catch((error) => error);

  expect(database.length).toBeGreaterThan(0);
  expect([failure.exitCode, elsewhere.exitCode]).toEqual([1, 1]);
  expect(failure.output).toMatch(/did not answer within 30 s\. Its machine may be too busy/);
  expect(elsewhere.output).toContain("127.0.0.1:1 (SVC_DATABASE_URL) cannot be used: connect ECON");
  expect(failure.output + elsewhere.output).not.toMatch(/^ +at |s3cret-of-the-start/m);
}, 240_000);

test("callers that were refused in the middle of their bodies do not hold up the stop", async () => {
  await using folder = await makeDataFolder();
  const platform = await startPlatformProcess({ dataDir: folder.path });
  const url = `${platform.url}/integrations`;
  const headers = { authorization: `Bearer ${platform.keys.get("dev")}` };

  const statuses = await Promise.all(
    Array.from({ length: 10 }, async () => (await sendTooMuch(url, headers)).status),
  );
  const startedAt = performance.now();
  const exitCode = await platform.stop();

  expect(statuses).toEqual(Array(10).fill(413));
  expect(exitCode).toBe(0);
  expect(performance.now() - startedAt).toBeLessThan(30_000);
});

/** Without a length, so that it is refused in the middle. */
async function sendTooMuch(url: string, headers: Record<string, string>): Promise<Response> {
  const chunks = Array.from({ length: 40 }, () => "x".repeat(100_000));
  const body = ReadableStream.from(chunks).pipeThrough(new TextEncoderStream());
  const init = { method: "POST", headers: { ...headers, "content-type": "application/json" } };
  return await fetch(url, { ...init, body, duplex: "half" });
}

test("all settings at fault are named at once, and a wrong encryption key stops the start", async () => {
  await using folder = await makeDataFolder();
  const start = async (env: Record<string, string>) =>
    await startPlatformProcess({ dataDir: folder.path, env }).catch((error) => error);

  const faults = await start({ SVC_PORT: "x", SVC_ROLES: "cook", SVC_EGRES_ALLOW: "10.0.0.0/8" });
  const first = await startPlatformProcess({ dataDir: folder.path });
  await first.stop();
  const wrongKey = randomBytes(32).toString("base64");
  const refused = await start({ SVC_ENCRYPTION_KEY: wrongKey });
  const rightKey = (await readFile(join(folder.path, "encryption.key"), "utf8")).trim();
  const accepted = await startPlatformProcess({
    dataDir: folder.path,
    env: { SVC_ENCRYPTION_KEY: rightKey },
  });
  await accepted.stop();

  expect(faults.exitCode).toBe(1);
  expect(faults.output).toMatch(/SVC_PORT is not a port number/);
  expect(faults.output).toMatch(/SVC_ROLES/);
  expect(faults.output).toMatch(
    /SVC_EGRES_ALLOW is not a setting; the nearest is SVC_EGRESS_ALLOW/,
  );
  expect(refused.exitCode).toBe(1);
  expect(refused.output.trim().split("\n")).toHaveLength(1);
  expect(refused.output).toMatch(/encryption key does not open this database/);
  expect(refused.output).not.toContain(wrongKey);
});

test("API and worker as two processes on one database: a job of one runs in the other", async () => {
  await using database = await createServerDatabase();
  await using folder = await makeDataFolder();
  const key = randomUUID();
  const env = { SVC_DATABASE_URL: database.connectionString, SVC_BOOTSTRAP_KEY: key };

  const [api, worker] = await Promise.all([
    startPlatformProcess({ dataDir: folder.path, env: { ...env, SVC_ROLES: "api" } }),
    startPlatformProcess({ dataDir: folder.path, env: { ...env, SVC_ROLES: "worker" } }),
  ]);
  const ready = await fetch(`${worker.url}/ready`);
  const noApi = await apiOf(worker.url, key)("GET", "/integrations");
  const created = await apiOf(api.url, key)("POST", "/integrations", { body: integration });
  const codes = await Promise.all([api.stop(), worker.stop()]);

  expect(ready.status).toBe(200);
  expect(noApi.status).toBe(404);
  expect(created.status).toBe(200);
  expect(codes).toEqual([0, 0]);
});
