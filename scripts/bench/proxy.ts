import { randomUUID } from "node:crypto";
import { makeDataFolder, startPlatformProcess } from "@jackfield/simulator";
import { Pool } from "undici";
import { startChildServer } from "./child-server.ts";
import { type BenchRow, median } from "./row.ts";

const CALLERS = 16;
const ROUND_MS = 3000;
const ROUNDS = 5;

/** Proxied requests per second at 16 callers against a bare pass-through, in alternating rounds. */
export async function benchProxy(): Promise<BenchRow[]> {
  await using upstream = await startChildServer("bare-upstream.ts", []);
  await using bare = await startChildServer("bare-passthrough.ts", [upstream.url]);
  await using folder = await makeDataFolder();
  const key = randomUUID();
  const platform = await startPlatformProcess({
    dataDir: folder.path,
    env: { SVC_BOOTSTRAP_KEY: key },
  });
  try {
    await connectUpstream(platform.url, key, upstream.url);
    const headers = {
      authorization: `Bearer ${key}`,
      "provider-config-key": "bench",
      "connection-id": "bench",
    };
    const ours: number[] = [];
    const theirs: number[] = [];
    await load(platform.url, "/proxy/x", headers, 1000);
    for (let round = 0; round < ROUNDS; round += 1) {
      theirs.push(await load(bare.url, "/x", headers, ROUND_MS));
      ours.push(await load(platform.url, "/proxy/x", headers, ROUND_MS));
    }
    const baseline = { name: "a bare node:http + undici pass-through", value: median(theirs) };
    return [
      { name: `proxy, ${CALLERS} callers`, value: median(ours), unit: "requests/s", baseline },
    ];
  } finally {
    await platform.stop();
  }
}

async function connectUpstream(url: string, key: string, upstream: string): Promise<void> {
  const post = async (path: string, body: object): Promise<void> => {
    const response = await fetch(`${url}${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
  };
  await post("/integrations", {
    provider: "private-api-bearer",
    unique_key: "bench",
    integration_config: { base_url: upstream },
  });
  await post("/connections", {
    provider_config_key: "bench",
    connection_id: "bench",
    credentials: { type: "API_KEY", apiKey: "bench" },
  });
}

async function load(
  origin: string,
  path: string,
  headers: Record<string, string>,
  durationMs: number,
): Promise<number> {
  const pool = new Pool(origin, { connections: CALLERS });
  const until = performance.now() + durationMs;
  let answered = 0;
  const call = async (): Promise<void> => {
    while (performance.now() < until) {
      const { statusCode, body } = await pool.request({ path, method: "GET", headers });
      await body.arrayBuffer();
      if (statusCode !== 200) throw new Error(`${origin}${path} answered ${statusCode}`);
      answered += 1;
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, call));
  await pool.close();
  return (1000 * answered) / durationMs;
}
