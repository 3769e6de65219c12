import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { expect, test } from "vitest";
import { createServerDatabase } from "../../packages/server/src/foundation/testing/index.ts";
import { apiOf } from "../journeys/api.ts";
import { makeDataFolder } from "../launcher/data-folder.ts";
import type { PlatformProcess } from "../launcher/platform-process.ts";
import { rolesOf } from "../launcher/start-roles.ts";

const EVENTS = 90_000;
const KILLS = 3;
const KILL_AFTER = 5000;

/** Failed deliveries to an address that is disabled, so that nothing but the replay moves them. */
async function insertFailed(client: pg.Client): Promise<void> {
  await client.query(`
    with receiver as (
      insert into webhook_receivers (id, environment_id, url, failing_since, disabled_at)
      select gen_random_uuid(), id, 'http://127.0.0.1:1/', now(), now()
        from environments where name = 'dev' returning id, environment_id
    )
    insert into webhook_deliveries
      (id, environment_id, receiver_id, type, url, body, state, attempts, created_at, ended_at)
    select gen_random_uuid(), environment_id, id, 'sync', 'http://127.0.0.1:1/', '\\x00', 'failed', 8,
           now() - make_interval(secs => g), now()
      from receiver, generate_series(1, ${EVENTS}) g`);
}

test("a replay of many continues where it was though its processes are killed, each event once", async () => {
  await using database = await createServerDatabase();
  await using folder = await makeDataFolder();
  const key = randomUUID();
  const start = rolesOf({
    ...{ databaseUrl: database.connectionString, folder: folder.path, key },
    env: { SVC_WORKER_TIMEOUT: "2" },
  });
  const client = new pg.Client({ connectionString: database.connectionString });
  await client.connect();
  const processes: PlatformProcess[] = [];
  try {
    const first = await start("api");
    processes.push(first);
    await insertFailed(client);
    const body = { since: "2020-01-01T00:00:00Z" };
    const begun = await apiOf(first.url, key)("POST", "/webhooks/deliveries/replay", { body });
    await first.kill();
    const second = await start("api");
    processes.push(second);
    const api = apiOf(second.url, key);
    const path = `/webhooks/replays/${begun.body.data.id}`;
    const look = async () => (await api("GET", path)).body.data;

    for (let kill = 0; kill < KILLS; kill += 1) {
      const before = (await look()).replayed;
      const worker = await start("worker");
      processes.push(worker);
      while ((await look()).replayed < before + KILL_AFTER) await sleep(10);
      await worker.kill();
    }
    const interrupted = await look();
    const repeated = await api("POST", "/webhooks/deliveries/replay", { body });
    processes.push(await start("worker"));

    await expect.poll(look, { timeout: 60_000 }).toMatchObject({ state: "done" });
    expect(begun.body.data).toMatchObject({ state: "running", replayed: 5000 });
    expect(interrupted.state).toBe("running");
    expect(repeated.body.data.id).toBe(begun.body.data.id);
    expect((await look()).replayed).toBe(EVENTS);
    const { rows } = await client.query(
      "select state, attempts, count(*)::int from webhook_deliveries group by 1, 2",
    );
    expect(rows).toEqual([{ state: "waiting", attempts: 0, count: EVENTS }]);
  } finally {
    for (const each of processes) await each.kill();
    await client.end();
  }
}, 180_000);
