import { createHmac, randomUUID } from "node:crypto";
import { join } from "node:path";
import pg from "pg";
import { request } from "undici";
import { startEmbeddedPostgres } from "../../../packages/server/src/foundation/embedded-postgres/index.ts";
import { makeDataFolder } from "../../../tests/launcher/data-folder.ts";
import { startPlatformProcess } from "../../../tests/launcher/platform-process.ts";
import { runLoad } from "../load/run-load.ts";
import { type BenchRow, median } from "../meters/row.ts";
import type { ProxyTarget } from "../proxy/proxy-setup.ts";
import { startChildServer } from "../servers/child-server.ts";

const SECRET = "secret";
const CALLERS = 64;
const ROUND_MS = 4000;
const ROUNDS = 3;
const BODY_BYTES = 1024;

/** Webhooks of 1 KB that are verified, stored durably and answered, against a handler that only verifies them. */
export async function benchWebhooksIn(): Promise<BenchRow[]> {
  await using folder = await makeDataFolder();
  await using postgres = await startEmbeddedPostgres({ dataDir: folder.path, log: () => {} });
  await using bare = await startChildServer("bare-receiver.ts", [SECRET]);
  const key = randomUUID();
  const platform = await startPlatformProcess({
    dataDir: join(folder.path, "platform"),
    env: {
      SVC_BOOTSTRAP_KEY: key,
      SVC_DATABASE_URL: postgres.connectionString,
      SVC_WEBHOOK_LIMIT_PER_MIN: "0",
      SVC_WEBHOOK_ENVIRONMENT_LIMIT_PER_MIN: "0",
    },
  });
  try {
    const path = await setUpShop(platform.url, key, { secret: SECRET });
    const body = JSON.stringify({ id: 1, note: "x".repeat(BODY_BYTES - 20) });
    const headers = {
      "content-type": "application/json",
      "x-shopify-topic": "orders/create",
      "x-shopify-hmac-sha256": createHmac("sha256", SECRET).update(body).digest("base64"),
    };
    const load = { callers: CALLERS, durationMs: ROUND_MS, path, body };
    const { url, processId } = platform;
    const platformTarget = { name: "platform", url, processId };
    const bareTarget = { name: "bare", url: bare.url, processId: bare.processId };
    const ours: number[] = [];
    const theirs: number[] = [];
    const latencies: number[] = [];
    for (let round = 0; round <= ROUNDS; round += 1) {
      const ourTarget: ProxyTarget = { ...platformTarget, headers };
      const stored = await runLoad(ourTarget, load);
      const plain = await runLoad({ ...bareTarget, headers }, load);
      // The first round warms up.
      if (round === 0) continue;
      ours.push(stored.perSecond);
      theirs.push(plain.perSecond);
      latencies.push(stored.p99Ms);
    }
    const { waiting, total } = await countInbox(postgres.connectionString);
    return [
      {
        name: "webhooks accepted, verified and stored",
        value: median(ours),
        unit: "webhooks/s",
        baseline: { name: "a bare handler that verifies", value: median(theirs) },
        note: `${CALLERS} callers, 1 KB, p99 ${median(latencies).toFixed(1)} ms; ${total} stored, ${waiting} not handled yet`,
      },
    ];
  } finally {
    await platform.stop();
  }
}

/** An integration whose webhooks are signed with the secret; resolves to the path of its address. */
export async function setUpShop(
  url: string,
  key: string,
  { secret, settings = {} }: { secret: string; settings?: { webhook_limit_per_min?: number } },
): Promise<string> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const created = await request(`${url}/integrations`, {
    method: "POST",
    headers,
    body: JSON.stringify({
      provider: "shopify",
      unique_key: "shop",
      credentials: { type: "OAUTH2", client_id: "id", client_secret: secret },
      settings,
    }),
  });
  if (created.statusCode !== 200) throw new Error(await created.body.text());
  await created.body.dump();
  const found = await request(`${url}/integrations/shop?include=webhook`, { headers });
  const { data } = Object(await found.body.json());
  return new URL(String(data.webhook_url)).pathname;
}

async function countInbox(connectionString: string): Promise<{ total: number; waiting: number }> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  const { rows } = await client.query(
    "select count(*)::int as total, count(*) filter (where state = 'waiting')::int as waiting from inbound_webhooks",
  );
  await client.end();
  return rows[0];
}
