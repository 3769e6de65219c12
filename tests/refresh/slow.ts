import { setTimeout as sleep } from "node:timers/promises";
import type { Harbor } from "./harbor.ts";
import type { TrialResult } from "./trial-result.ts";

const CALLERS = 30;
const PATIENCE_MS = 25_000;

/** R2: an authorization server that takes its time, up to longer than callers wait. */
export async function runSlow(harbor: Harbor, delaysMs: readonly number[]): Promise<TrialResult> {
  const processes = [await harbor.start(), await harbor.start(), await harbor.start()];
  const [first] = processes;
  if (first === undefined) throw new Error("no process was started");
  const [connectionId = ""] = await harbor.connect(first, 1);
  const violations: string[] = [];
  for (const delayMs of delaysMs) {
    await harbor.expire([connectionId]);
    const before = harbor.gateway.presented.length;
    harbor.gateway.onPoint(async (point) => {
      if (point === "granted") await sleep(delayMs);
    });
    const answers = await Promise.all(
      Array.from({ length: CALLERS }, (_, index) =>
        harbor.proxy(processes[index % 3] ?? first, connectionId),
      ),
    );
    const wanted = delayMs < PATIENCE_MS ? "200" : "503 refresh_in_progress";
    const reported = new Set(answers.map(({ status, code }) => [status, code].join(" ").trim()));
    if (reported.size !== 1 || !reported.has(wanted))
      violations.push(`${delayMs} ms: ${[...reported]}`);
    await sleep(Math.max(0, delayMs - PATIENCE_MS + 1000));
    harbor.gateway.onPoint(undefined);
    const after = await harbor.proxy(first, connectionId);
    if (after.status !== 200) violations.push(`${delayMs} ms, next call: ${after.code}`);
    const attempts = harbor.gateway.presented.length - before;
    if (attempts !== 1) violations.push(`${delayMs} ms: ${attempts} attempts`);
  }
  if (harbor.gateway.mostAtOnce > 1) violations.push(`${harbor.gateway.mostAtOnce} at once`);
  for (const platform of processes) await platform.stop();
  return { id: "R2", trials: delaysMs.length, violations, note: `${delaysMs.join(", ")} ms` };
}
