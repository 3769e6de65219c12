import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { join } from "node:path";
import { expect } from "vitest";
import { apiOf } from "../journeys/api.ts";
import { makeDataFolder } from "../launcher/data-folder.ts";
import { startPlatformProcess } from "../launcher/platform-process.ts";
import type { TrialResult } from "../refresh/trial-result.ts";

const SLOW_MS = 15_000;
const FAST_WITHIN_MS = 1000;

/** W5: one receiver that takes 15 s for each of many webhooks, and fast ones that must not notice. */
export async function runSlowReceiver({
  databaseUrl,
  slow,
  fast,
}: {
  databaseUrl: string;
  slow: number;
  fast: number;
}): Promise<TrialResult> {
  await using folder = await makeDataFolder();
  const key = randomUUID();
  const platform = await startPlatformProcess({
    dataDir: join(folder.path, "data"),
    env: { SVC_DATABASE_URL: databaseUrl, SVC_BOOTSTRAP_KEY: key, SVC_LOG_LEVEL: "error" },
  });
  const receivedAt = new Map<string, number>();
  const server = createServer((request, response) => {
    request.resume();
    request.on("end", () => {
      if (request.url === "/slow") return void setTimeout(() => response.end(), SLOW_MS).unref();
      receivedAt.set(request.url ?? "", performance.now());
      response.end();
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const origin = `http://127.0.0.1:${Object(server.address()).port}`;
  try {
    const api = apiOf(platform.url, key);
    await api("POST", "/integrations", {
      body: { provider: "private-api-bearer", unique_key: "crm" },
    });
    const create = async (path: string) => {
      const body = {
        provider_config_key: "crm",
        webhook_url_override: `${origin}${path}`,
        credentials: { type: "API_KEY", apiKey: "k" },
      };
      const made = await api("POST", "/connections", { body });
      expect(made.status).toBe(201);
      return performance.now();
    };
    for (let n = 0; n < slow; n += 1) await create("/slow");
    const waits: number[] = [];
    for (let n = 0; n < fast; n += 1) {
      const path = `/fast/${n}`;
      const createdAt = await create(path);
      await expect.poll(() => receivedAt.has(path), { timeout: SLOW_MS, interval: 5 }).toBe(true);
      waits.push(Math.max(0, (receivedAt.get(path) ?? 0) - createdAt));
    }
    const p95 = waits.toSorted((a, b) => a - b)[Math.ceil(fast * 0.95) - 1] ?? 0;
    const violations = p95 < FAST_WITHIN_MS ? [] : [`95 % of fast ones took ${p95} ms`];
    const note = `${slow} webhooks waiting for the slow one; fast p95 ${p95.toFixed(0)} ms`;
    return { id: "W5", trials: fast, violations, note };
  } finally {
    server.closeAllConnections();
    server.close();
    await platform.kill();
  }
}
