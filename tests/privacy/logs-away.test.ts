import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { expect, test } from "vitest";
import { createEmptyDatabase } from "../../packages/server/src/foundation/testing/index.ts";
import { apiOf } from "../journeys/api.ts";
import { makeDataFolder } from "../launcher/data-folder.ts";
import { startPlatformProcess } from "../launcher/platform-process.ts";
import { openLineTo } from "../outages/line.ts";

const PERSON = "ada.lovelace@example.com";
/** The queue tries a step that failed again within this time, later each time. */
const STEP_AGAIN_MS = 90_000;

test("an erasure waits for a log that is away, and is done when nothing in it names the person", {
  timeout: 300_000,
}, async () => {
  await using stack = new AsyncDisposableStack();
  const first = stack.use(await createEmptyDatabase());
  const logs = stack.use(await createEmptyDatabase());
  const { line, url } = await openLineTo(logs.connectionString);
  stack.use(line);
  const logPool = new pg.Pool({ connectionString: logs.connectionString, max: 1 });
  stack.defer(async () => await logPool.end());
  const key = randomUUID();
  const platform = await startPlatformProcess({
    dataDir: stack.use(await makeDataFolder()).path,
    env: {
      SVC_DATABASE_URL: first.connectionString,
      SVC_LOGS_DATABASE_URL: url,
      SVC_BOOTSTRAP_KEY: key,
      SVC_LOG_LEVEL: "silent",
    },
  });
  stack.defer(async () => void (await platform.stop()));
  const api = apiOf(platform.url, key);
  const connection = { provider_config_key: "crm", connection_id: PERSON };
  const countNaming = async () => {
    const { rows } = await logPool.query<{ count: number }>(
      `select count(*)::int as count from operations o where o::text like $1`,
      [`%${PERSON}%`],
    );
    return rows[0]?.count;
  };
  await expect
    .poll(async () => (await api("GET", "/ready")).body, { timeout: 60_000 })
    .toEqual({ result: "ok" });
  await api("POST", "/integrations", {
    body: { unique_key: "crm", provider: "unauthenticated" },
  });
  const made = await api("POST", "/connections", {
    body: { ...connection, credentials: { type: "NONE" }, tags: { end_user_id: "u1" } },
  });
  await expect.poll(countNaming, { timeout: 30_000 }).toBeGreaterThan(0);

  line.refuse();
  const receipt = await api("DELETE", "/end-users/u1");
  const readReceipt = async () => (await api("GET", `/erasures/${receipt.body.data.id}`)).body.data;
  await expect
    .poll(async () => (await api("GET", "/connections")).body.connections, { timeout: 30_000 })
    .toEqual([]);
  await sleep(5000);
  const waiting = { receipt: await readReceipt(), naming: await countNaming() };
  line.resume();
  await expect
    .poll(async () => (await readReceipt()).state, { timeout: STEP_AGAIN_MS, interval: 500 })
    .toBe("done");

  expect(made.status).toBe(201);
  expect(receipt.status).toBe(202);
  expect(waiting.receipt.state).toBe("running");
  expect(waiting.naming).toBeGreaterThan(0);
  expect(await countNaming()).toBe(0);
});
