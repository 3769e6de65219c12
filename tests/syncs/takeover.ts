import { setTimeout as sleep } from "node:timers/promises";
import type { TrialResult } from "../refresh/trial-result.ts";
import { addConnections, newUpload, startInstallation } from "./installation.ts";

const slow = `
  for (let page = 0; page < 20; page += 1) {
    await svc.batchSave([{ id: String(page) }], "Row");
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }`;

const LOOK_EVERY_MS = 20;

/** J2: a worker is killed in the middle of runs, at the default settings; others begin them again in time. */
export async function runTakeovers(trials: number, withinMs = 30_000): Promise<TrialResult> {
  await using all = await startInstallation({ workers: 0 });
  await addConnections(all, all.api, { environment: "dev", count: 10 });
  await all.api("POST", "/sync/deploy", { body: newUpload(slow, "every hour") });
  const countAt = async (attempts: number) => {
    const [row] = await all.query<{ count: number }>(
      "select count(*)::int as count from runs where state = 'running' and attempts >= $1",
      [attempts],
    );
    return row?.count ?? 0;
  };
  const waits: number[] = [];
  await all.startWorker();
  for (let trial = 1; trial <= trials; trial += 1) {
    while ((await countAt(trial)) < 10) await sleep(LOOK_EVERY_MS);
    const killedAt = performance.now();
    await all.killWorker(0);
    while ((await countAt(trial + 1)) < 10 && performance.now() - killedAt < 2 * withinMs) {
      await sleep(LOOK_EVERY_MS);
    }
    waits.push(performance.now() - killedAt);
  }
  const late = waits.filter((ms) => ms > withinMs);
  const seconds = waits.map((ms) => (ms / 1000).toFixed(1)).join(", ");
  const violations = late.length === 0 ? [] : [`${late.length} takeovers came late`];
  return { id: "J2", trials: trials * 10, violations, note: `after ${seconds} s` };
}
