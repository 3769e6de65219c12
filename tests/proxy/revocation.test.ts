import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createServerDatabase } from "../../packages/server/src/foundation/testing/index.ts";
import type { PlatformProcess } from "../launcher/platform-process.ts";
import {
  addConnection as addConnectionTo,
  addIntegration,
  callHeaders,
  send,
  startPlatform,
  startUpstream,
} from "./proxied-api.ts";

type Database = Awaited<ReturnType<typeof createServerDatabase>>;

const cleanUp = new AsyncDisposableStack();
let database: Database;
let first: PlatformProcess;
let second: PlatformProcess;
let upstreamUrl: string;

beforeAll(async () => {
  upstreamUrl = await startUpstream(cleanUp, (_request, response) => response.end("ok"));
  database = cleanUp.use(await createServerDatabase());
  const env = {
    SVC_DATABASE_URL: database.connectionString,
    SVC_ENCRYPTION_KEY: randomBytes(32).toString("base64"),
    SVC_ROLES: "api",
  };
  first = await startPlatform(cleanUp, env);
  second = await startPlatform(cleanUp, env);
  await addIntegration(first, upstreamUrl);
});
afterAll(async () => await cleanUp.disposeAsync());

async function addConnection(): Promise<string> {
  return await addConnectionTo(first);
}

async function call(platform: PlatformProcess, connectionId: string): Promise<number> {
  const response = await fetch(`${platform.url}/proxy/x`, {
    headers: callHeaders(connectionId),
  });
  await response.text();
  return response.status;
}

/** Calls in a row, so that all that is remembered is remembered. */
async function warm(connectionId: string): Promise<void> {
  for (const platform of [first, second]) {
    for (let n = 0; n < 5; n += 1) expect(await call(platform, connectionId)).toBe(200);
  }
}

/** Status of the first call that begins a second or more after `since`, or of an earlier refusal. */
async function statusWithinASecond(
  platform: PlatformProcess,
  connectionId: string,
  since: number,
): Promise<number> {
  for (;;) {
    const isLate = performance.now() - since >= 1000;
    const status = await call(platform, connectionId);
    if (status !== 200 || isLate) return status;
    await sleep(10);
  }
}

test("a deleted connection fails at once where it was deleted, and within a second elsewhere", async () => {
  const connectionId = await addConnection();
  await warm(connectionId);

  await send(first, "DELETE", `/connections/${connectionId}?provider_config_key=api`);
  const since = performance.now();
  const here = await call(first, connectionId);
  const elsewhere = await statusWithinASecond(second, connectionId, since);

  expect([here, elsewhere]).toEqual([400, 400]);
});

test("a change of the integration reaches every process within a second", async () => {
  const connectionId = await addConnection();
  await warm(connectionId);

  const closed = JSON.stringify({ base_url: "http://127.0.0.1:1" });
  const opened = JSON.stringify({ base_url: upstreamUrl });
  await database.pool.query("update integrations set integration_config = $1", [closed]);
  const since = performance.now();
  const there = await statusWithinASecond(second, connectionId, since);
  await database.pool.query("update integrations set integration_config = $1", [opened]);

  expect(there).toBe(502);
});

test("a change is seen within a second although the listening connection is lost", async () => {
  const connectionId = await addConnection();
  await warm(connectionId);

  await database.pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'jackfield listener'`,
  );
  await warm(connectionId);
  const change = "update connections set deleted_at = now() where connection_id = $1";
  await database.pool.query(change, [connectionId]);
  const since = performance.now();
  const statuses = await Promise.all(
    [first, second].map(async (each) => await statusWithinASecond(each, connectionId, since)),
  );

  expect(statuses).toEqual([400, 400]);
});

test("a revoked key fails within a second in every process", async () => {
  const connectionId = await addConnection();
  await warm(connectionId);

  const change = "update api_keys set deleted_at = now() where environment_id is not null";
  await database.pool.query(change);
  const since = performance.now();
  const statuses = await Promise.all(
    [first, second].map(async (each) => await statusWithinASecond(each, connectionId, since)),
  );

  expect(statuses).toEqual([401, 401]);
});
