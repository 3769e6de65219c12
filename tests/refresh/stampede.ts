import { setTimeout as sleep } from "node:timers/promises";
import type { PlatformProcess } from "../launcher/platform-process.ts";
import type { Harbor } from "./harbor.ts";
import type { TrialResult } from "./trial-result.ts";

const CONNECTIONS = 50;
const CALLS_PER_MINUTE = 1000;
const PROCESSES = 3;

/** R7: many callers, many connections, three processes, and an authorization server that is down. */
export async function runStampede(harbor: Harbor, lastsMs: number): Promise<TrialResult> {
  const processes = await Promise.all(Array.from({ length: PROCESSES }, () => harbor.start()));
  const [first] = processes;
  if (first === undefined) throw new Error("no process was started");
  const ids = await harbor.connect(first, CONNECTIONS);
  await harbor.expire(ids);
  const others = await harbor.connectElsewhere(first);
  const before = await measure(harbor, processes, others, lastsMs / 10);
  harbor.gateway.answerWith({ status: 503, body: "" });
  const violations: string[] = [];
  const calls: Promise<void>[] = [];
  const until = performance.now() + lastsMs;
  const meanwhile = measure(harbor, processes, others, lastsMs);
  for (let index = 0; performance.now() < until; index += 1) {
    const platform = processes[index % PROCESSES] ?? first;
    const id = ids[Math.floor(Math.random() * ids.length)] ?? "";
    calls.push(
      harbor.proxy(platform, id).then(({ status, code }) => {
        if (code !== "connection_refresh_backoff") violations.push(`${status} ${code}`);
      }),
    );
    await sleep(60_000 / CALLS_PER_MINUTE);
  }
  await Promise.all(calls);
  const during = await meanwhile;
  if (during.failed > 0) violations.push(`${during.failed} calls of another provider failed`);
  const { presented } = harbor.gateway;
  const counts = Map.groupBy(presented, (token) => token);
  const most = Math.max(...[...counts.values()].map((each) => each.length));
  if (most > 12) violations.push(`one connection was tried ${most} times`);
  // Each process: five failures (a few more at once), then a probe per pause.
  const allowed = PROCESSES * (5 + 8 + Math.ceil(lastsMs / 30_000));
  if (presented.length > allowed) violations.push(`${presented.length} attempts in all`);
  harbor.gateway.answerWith(undefined);
  for (const platform of processes) await platform.stop();
  // Times are reported, not judged: the machine has other work.
  const times = `another provider's p99 ${before.p99.toFixed(0)} ms before, ${during.p99.toFixed(0)} ms meanwhile`;
  const note = `${times}; ${calls.length} calls met ${presented.length} attempts, at most ${most} of one connection`;
  return { id: "R7", trials: calls.length, violations, note };
}

/** Calls with a connection whose tokens are good, ten a second. */
async function measure(
  harbor: Harbor,
  processes: readonly PlatformProcess[],
  connectionId: string,
  lastsMs: number,
): Promise<{ p99: number; failed: number }> {
  const times: number[] = [];
  let failed = 0;
  const until = performance.now() + lastsMs;
  for (let index = 0; performance.now() < until; index += 1) {
    const platform = processes[index % processes.length];
    if (platform === undefined) break;
    const startedAt = performance.now();
    const { status } = await harbor.proxy(platform, connectionId, "elsewhere");
    times.push(performance.now() - startedAt);
    if (status !== 200) failed += 1;
    await sleep(100);
  }
  times.sort((a, b) => a - b);
  return { p99: times[Math.floor(times.length * 0.99)] ?? 0, failed };
}
