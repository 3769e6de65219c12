import { createHmac, randomUUID } from "node:crypto";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { Pool } from "undici";
import { startEmbeddedPostgres } from "../../../packages/server/src/foundation/embedded-postgres/index.ts";
import { makeDataFolder } from "../../../tests/launcher/data-folder.ts";
import { startPlatformProcess } from "../../../tests/launcher/platform-process.ts";
import { type BenchRow, median } from "../meters/row.ts";
import { startChildServer } from "../servers/child-server.ts";

const CALLERS = 32;
/** One webhook reports each. */
const CONNECTIONS = 4000;
const ROUNDS = 3;

/** Queued webhooks delivered per second to a receiver on this machine, against requests signed and sent alone. */
export async function benchWebhooksOut(): Promise<BenchRow[]> {
  await using folder = await makeDataFolder();
  await using postgres = await startEmbeddedPostgres({ dataDir: folder.path, log: () => {} });
  await using receiver = await startChildServer("bare-upstream.ts", []);
  const key = randomUUID();
  const platform = await startPlatformProcess({
    dataDir: join(folder.path, "platform"),
    env: {
      SVC_BOOTSTRAP_KEY: key,
      SVC_DATABASE_URL: postgres.connectionString,
      SVC_EGRESS_ALLOW: "127.0.0.0/8",
    },
  });
  const pool = new Pool(platform.url, { connections: CALLERS });
  const client = new pg.Client({ connectionString: postgres.connectionString });
  try {
    await client.connect();
    const call = caller(pool, key);
    await call("POST", "/integrations", { provider: "private-api-bearer", unique_key: "bench" });
    const url = `${receiver.url}/hooks`;
    await call("PATCH", "/environment/webhooks", { primary_url: url });
    await repeat(CONNECTIONS, async (n) => {
      await call("POST", "/connections", {
        provider_config_key: "bench",
        connection_id: `bench-${n}`,
        credentials: { type: "API_KEY", apiKey: "key" },
      });
    });
    await waitUntilSent(client);
    const ours: number[] = [];
    const bare: number[] = [];
    for (let round = 0; round <= ROUNDS; round += 1) {
      const bareRate = await sendBare(receiver.url);
      // Held until all are queued, so that sending alone is measured.
      await client.query("update webhook_receivers set failing_since = now(), disabled_at = now()");
      await call("POST", "/webhooks/deliveries/replay", {
        since: "2020-01-01T00:00:00Z",
        until: "2100-01-01T00:00:00Z",
        state: "any",
      });
      const startedAt = performance.now();
      await call("POST", "/webhooks/receivers/enable", { url });
      await waitUntilSent(client);
      // The first round warms up.
      if (round === 0) continue;
      ours.push((1000 * CONNECTIONS) / (performance.now() - startedAt));
      bare.push(bareRate);
    }
    const baseline = { name: "signed requests of a bare sender", value: median(bare) };
    const note = `${CONNECTIONS} queued and delivered, each attempt stored`;
    return [{ name: "webhooks out", value: median(ours), unit: "deliveries/s", baseline, note }];
  } finally {
    await client.end();
    await pool.close();
    await platform.stop();
  }
}

async function waitUntilSent(client: pg.Client): Promise<void> {
  for (;;) {
    const { rows } = await client.query(
      "select exists (select from webhook_deliveries where state <> 'delivered') as waiting",
    );
    if (rows[0].waiting === false) return;
    await sleep(20);
  }
}

/** Requests per second, signed like ours. */
async function sendBare(url: string): Promise<number> {
  const pool = new Pool(url, { connections: CALLERS });
  const body = JSON.stringify({ from: "svc", type: "auth", text: "x".repeat(200) });
  const startedAt = performance.now();
  await repeat(CONNECTIONS, async () => {
    const id = `msg_${randomUUID()}`;
    const time = String(Math.floor(Date.now() / 1000));
    const signature = createHmac("sha256", "key").update(`${id}.${time}.${body}`).digest("base64");
    const answer = await pool.request({
      method: "POST",
      path: "/hooks",
      headers: {
        "content-type": "application/json",
        "webhook-id": id,
        "webhook-timestamp": time,
        "webhook-signature": `v1,${signature}`,
      },
      body,
    });
    await answer.body.dump();
  });
  const perSecond = (1000 * CONNECTIONS) / (performance.now() - startedAt);
  await pool.close();
  return perSecond;
}

async function repeat(count: number, once: (n: number) => Promise<void>): Promise<void> {
  let next = 0;
  const loop = async (): Promise<void> => {
    while (next < count) {
      next += 1;
      await once(next);
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, loop));
}

function caller(pool: Pool, key: string) {
  return async (method: "POST" | "PATCH", path: string, body: object): Promise<void> => {
    const answer = await pool.request({
      method,
      path,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const text = await answer.body.text();
    if (answer.statusCode >= 300) throw new Error(`${path}: ${text}`);
  };
}
