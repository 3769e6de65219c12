import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { verifyReport } from "../../packages/node/src/webhooks/verify-report.ts";
import { startGround } from "./ground.ts";

const CONNECTIONS = 200;
const KILLS = 4;

test("workers that are killed in the middle forget no connection: each is withdrawn and reported", async () => {
  await using ground = await startGround("http://127.0.0.1:9");
  const { api } = await ground.start("api");
  const ids = await ground.connect(api, CONNECTIONS);
  const begun = await api("POST", "/revocations", {
    body: { match: { provider_config_key: "crm" } },
  });
  const { id, environment_id: environmentId } = begun.body.data;
  const look = async () => (await api("GET", `/revocations/${id}`)).body.data;

  const seen: number[] = [];
  for (let kill = 1; kill <= KILLS; kill += 1) {
    const worker = await ground.start("worker");
    // Somewhere within what it does.
    const more = ground.provider.tokens.length + 10 + Math.floor(Math.random() * 60);
    await expect
      .poll(() => ground.provider.tokens.length, { timeout: 60_000, interval: 1 })
      .toBeGreaterThan(more);
    await sleep(Math.random() * 5);
    await worker.process.kill();
    seen.push((await look()).counts.waiting);
  }
  await ground.start("worker");
  await expect.poll(look, { timeout: 120_000, interval: 500 }).toMatchObject({ state: "done" });
  const items = (await api("GET", `/revocations/${id}/connections?limit=500`)).body.data;
  const keys = (await api("GET", `/revocation-keys/${environmentId}`)).body;
  const reported = [];
  for (const { report } of items) {
    const { connection } = await verifyReport(report, keys.keys);
    reported.push(Object(connection).connection_id);
  }

  expect(seen[0]).toBeGreaterThan(0);
  expect((await look()).counts).toMatchObject({ withdrawn: CONNECTIONS, waiting: 0, failed: 0 });
  const withdrawn = new Set(ground.provider.tokens);
  expect(ids.filter((each) => !withdrawn.has(`r-${each}`) || !withdrawn.has(`a-${each}`))).toEqual(
    [],
  );
  expect(reported.toSorted()).toEqual(ids.toSorted());
  // Repeated is only what was under way at a kill.
  expect(ground.provider.tokens.length).toBeLessThan(2 * CONNECTIONS + KILLS * 2 * 32);
}, 240_000);
