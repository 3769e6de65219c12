import { execFile } from "node:child_process";
import { createHmac, randomUUID } from "node:crypto";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import * as z from "zod";
import { startEmbeddedPostgres } from "../../../packages/server/src/foundation/embedded-postgres/index.ts";
import { makeDataFolder } from "../../../tests/launcher/data-folder.ts";
import { startPlatformProcess } from "../../../tests/launcher/platform-process.ts";
import { type BenchRow, median } from "../meters/row.ts";
import { startChildServer } from "../servers/child-server.ts";
import { setUpShop } from "./webhooks-in.ts";

const SECRET = "secret";
const FLOOD_PER_SECOND = 5000;
const FLOOD_SOCKETS = 64;
const API_PER_SECOND = 200;
const API_SOCKETS = 8;
const LIMIT_PER_MIN = 600;
const ROUND_MS = 10_000;
const ROUNDS = 3;
const BODY_BYTES = 1024;

const answer = z.object({
  perSecond: z.number(),
  p50Ms: z.number(),
  p99Ms: z.number(),
  statuses: z.record(z.string(), z.number()),
  withoutRetryAfter: z.number(),
});
type Paced = z.infer<typeof answer>;

interface Load {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly perSecond: number;
  readonly sockets: number;
  readonly body?: string;
}

/**
 * W10: how late the API answers while 5,000 webhooks a second come to an integration with a limit, against the same
 * flood at a bare listener, which takes the same share of the machine.
 */
export async function benchWebhooksFlood(): Promise<BenchRow[]> {
  await using folder = await makeDataFolder();
  await using postgres = await startEmbeddedPostgres({ dataDir: folder.path, log: () => {} });
  await using bare = await startChildServer("bare-receiver.ts", [SECRET]);
  const key = randomUUID();
  const platform = await startPlatformProcess({
    dataDir: join(folder.path, "platform"),
    env: { SVC_BOOTSTRAP_KEY: key, SVC_DATABASE_URL: postgres.connectionString },
  });
  try {
    const settings = { webhook_limit_per_min: LIMIT_PER_MIN };
    const path = await setUpShop(platform.url, key, { secret: SECRET, settings });
    const body = JSON.stringify({ id: 1, note: "x".repeat(BODY_BYTES - 20) });
    const flood = {
      headers: {
        "content-type": "application/json",
        "x-shopify-topic": "orders/create",
        "x-shopify-hmac-sha256": createHmac("sha256", SECRET).update(body).digest("base64"),
      },
      body,
      perSecond: FLOOD_PER_SECOND,
      sockets: FLOOD_SOCKETS,
    };
    const api = {
      url: `${platform.url}/integrations/shop`,
      headers: { authorization: `Bearer ${key}` },
      perSecond: API_PER_SECOND,
      sockets: API_SOCKETS,
    };
    const [ours, theirs, floods]: [number[], number[], Paced[]] = [[], [], []];
    for (let round = 0; round <= ROUNDS; round += 1) {
      const flooded = await runBoth(api, { ...flood, url: platform.url + path });
      const neighbour = await runBoth(api, { ...flood, url: `${bare.url}/x` });
      // The first round warms up.
      if (round === 0) continue;
      ours.push(flooded.api.p99Ms);
      theirs.push(neighbour.api.p99Ms);
      floods.push(flooded.flood);
    }
    return [
      {
        name: "API p99 under a flood of webhooks",
        value: median(ours),
        unit: "ms",
        baseline: { name: "the same flood at a bare listener", value: median(theirs) },
        note: `${API_PER_SECOND} calls/s; ${describe(floods)}`,
      },
    ];
  } finally {
    await platform.stop();
  }
}

function describe(floods: readonly Paced[]): string {
  const perSecond = Math.round(median(floods.map((each) => each.perSecond)));
  const count = (status: string) =>
    floods.reduce((sum, { statuses }) => sum + (statuses[status] ?? 0), 0);
  const silent = floods.reduce((sum, { withoutRetryAfter }) => sum + withoutRetryAfter, 0);
  return `${perSecond} webhooks/s answered: ${count("200")} × 200, ${count("429")} × 429, ${silent} of them without Retry-After`;
}

async function runBoth(api: Load, flood: Load): Promise<{ api: Paced; flood: Paced }> {
  const [ofApi, ofFlood] = await Promise.all([runPaced(api), runPaced(flood)]);
  const failed = Object.keys(ofApi.statuses).filter((status) => status !== "200");
  if (failed.length > 0) throw new Error(`the API answered ${failed.join(", ")}`);
  return { api: ofApi, flood: ofFlood };
}

const client = fileURLToPath(new URL("../load/paced-client.ts", import.meta.url));

async function runPaced(load: Load): Promise<Paced> {
  const plan = JSON.stringify({ ...load, durationMs: ROUND_MS });
  const { stdout } = await promisify(execFile)(process.execPath, [client, plan]);
  return answer.parse(JSON.parse(stdout));
}
