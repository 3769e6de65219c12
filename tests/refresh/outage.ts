import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { vi } from "vitest";
import { startEmbeddedPostgres } from "../../packages/server/src/foundation/embedded-postgres/index.ts";
import { makeDataFolder } from "../launcher/data-folder.ts";
import { startHarbor } from "./harbor.ts";
import type { TrialResult } from "./trial-result.ts";

/** R4: the database stops, at once, after tokens were rotated and before they were stored. */
export async function runOutage({
  rounds,
  perRound,
  downMs,
}: {
  rounds: number;
  perRound: number;
  downMs: number;
}): Promise<TrialResult> {
  await using folder = await makeDataFolder();
  const options = { dataDir: folder.path, log: () => {} };
  let postgres = await startEmbeddedPostgres(options);
  try {
    await using harbor = await startHarbor(postgres.connectionString);
    const platform = await harbor.start();
    const violations: string[] = [];
    for (let round = 1; round <= rounds; round += 1) {
      const ids = await harbor.connect(platform, perRound);
      await harbor.expire(ids);
      const granted = Promise.withResolvers<void>();
      const stopped = Promise.withResolvers<void>();
      let waiting = 0;
      harbor.gateway.onPoint(async (point) => {
        if (point !== "granted") return;
        waiting += 1;
        if (waiting === perRound) granted.resolve();
        await stopped.promise;
      });
      const calls = ids.map((id) => harbor.get(platform, id));
      await granted.promise;
      process.kill(postgres.processId, "SIGQUIT");
      await postgres.stop();
      stopped.resolve();
      harbor.gateway.onPoint(undefined);
      await untilSpooled(join(harbor.folder.path, "data", "spool"), perRound);
      await sleep(downMs);
      postgres = await startEmbeddedPostgres(options);
      const answers = await Promise.all(calls);
      for (const [index, { status, code }] of answers.entries()) {
        if (status !== 200) violations.push(`round ${round}, caller ${index}: ${status} ${code}`);
      }
      for (const [index, id] of ids.entries()) {
        const { status, code } = await harbor.get(platform, id, "&force_refresh=true");
        if (status !== 200) violations.push(`round ${round}, token ${index}: ${status} ${code}`);
      }
    }
    const { failedGrants } = harbor.provider.journal;
    if (failedGrants > 0) violations.push(`${failedGrants} refused refreshes`);
    const webhooks = await harbor.query("select id from webhook_deliveries where type = 'auth'");
    if (webhooks.length > 0) violations.push(`${webhooks.length} auth webhooks`);
    return { id: "R4", trials: rounds * perRound, violations, note: `down for ${downMs} ms` };
  } finally {
    await postgres.stop();
  }
}

async function untilSpooled(folder: string, count: number): Promise<void> {
  const countSpooled = async () => {
    const names = await readdir(folder).catch(() => []);
    return names.filter((name) => !name.endsWith(".tmp")).length;
  };
  await vi.waitUntil(async () => (await countSpooled()) >= count, {
    timeout: 20_000,
    interval: 20,
  });
}
