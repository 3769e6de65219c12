import { setTimeout as sleep } from "node:timers/promises";
import type { PlatformProcess } from "@jackfield/simulator";
import type { Harbor } from "./harbor.ts";
import type { TrialResult } from "./trial-result.ts";

const CALLERS = 100;
const JITTER_MS = 50;
// The answer stays away until every forced call has long been let in: later ones rightly start again.
const HELD_MS = 400;

/** R1: callers of all kinds in three processes on one expired token; refreshes are counted at the server. */
export async function runStorm(harbor: Harbor, rounds: number): Promise<TrialResult> {
  const processes = [await harbor.start(), await harbor.start(), await harbor.start()];
  const [first] = processes;
  const [connectionId = ""] = first === undefined ? [] : await harbor.connect(first, 1);
  const violations: string[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    await harbor.expire([connectionId]);
    const before = { ...harbor.provider.journal };
    const statuses = await callAtOnce(harbor, processes, connectionId);
    const { refreshGrants, failedGrants } = harbor.provider.journal;
    const grants = refreshGrants - before.refreshGrants;
    if (grants !== 1) violations.push(`round ${round}: ${grants} refreshes`);
    const failed = failedGrants - before.failedGrants;
    if (failed > 0) violations.push(`round ${round}: ${failed} refused refreshes`);
    const bad = statuses.filter((status) => status !== 200);
    if (bad.length > 0) violations.push(`round ${round}: answers ${bad.join(", ")}`);
  }
  if (first !== undefined) {
    const last = await harbor.get(first, connectionId, "&force_refresh=true");
    if (last.status !== 200) violations.push(`the last refresh token is dead: ${last.code}`);
  }
  if (harbor.gateway.mostAtOnce > 1) violations.push(`${harbor.gateway.mostAtOnce} at once`);
  for (const platform of processes) await platform.stop();
  const note = `${CALLERS} callers in ${processes.length} processes`;
  return { id: "R1", trials: rounds, violations, note };
}

async function callAtOnce(
  harbor: Harbor,
  processes: readonly PlatformProcess[],
  connectionId: string,
): Promise<number[]> {
  const asked = Promise.withResolvers<void>();
  const sent = Promise.withResolvers<void>();
  harbor.gateway.onPoint(async (point) => {
    if (point !== "granted") return;
    asked.resolve();
    await sent.promise;
    await sleep(HELD_MS);
  });
  const forced = processes.map((platform) =>
    harbor.get(platform, connectionId, "&force_refresh=true"),
  );
  await asked.promise;
  const others = Array.from({ length: CALLERS - forced.length }, async (_, index) => {
    await sleep(Math.random() * JITTER_MS);
    const platform = pick(processes, index);
    return index % 6 === 0
      ? await harbor.get(platform, connectionId)
      : await harbor.proxy(platform, connectionId);
  });
  sent.resolve();
  const answers = await Promise.all([...forced, ...others]);
  harbor.gateway.onPoint(undefined);
  return answers.map(({ status }) => status);
}

function pick(processes: readonly PlatformProcess[], index: number): PlatformProcess {
  const platform = processes[index % processes.length];
  if (platform === undefined) throw new Error("no process was started");
  return platform;
}
