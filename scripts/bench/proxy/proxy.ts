import { type LoadResult, runLoad } from "../load/run-load.ts";
import { readMemoryMb } from "../meters/read-memory.ts";
import { type BenchRow, median } from "../meters/row.ts";
import { benchCrowds } from "./proxy-crowds.ts";
import { type ProxySetup, setUpProxy } from "./proxy-setup.ts";
import { benchStreams } from "./proxy-streams.ts";

const CALLERS = [1, 16, 64];
const ROUND_MS = 1200;
const ROUNDS = 3;
// Until the engine has compiled what is hot.
const WARM_UP = { callers: 32, durationMs: 4000 };

/** Calls through the proxy against the upstream itself, a bare pass-through and nginx, in alternating rounds. */
export async function benchProxy(): Promise<BenchRow[]> {
  await using setup = await setUpProxy();
  const rows: BenchRow[] = [];
  for (const target of listTargets(setup)) await runLoad(target, WARM_UP);
  for (const callers of CALLERS) rows.push(...(await benchCalls(setup, callers)));
  const { peak } = readMemoryMb(setup.ours.processId);
  rows.push({ name: "proxy, peak memory under calls", value: peak, unit: "MB" });
  rows.push(...(await benchStreams(setup)), ...(await benchCrowds(setup)));
  return rows;
}

function listTargets({ upstream, nginx, bare, ours, sampled, shared }: ProxySetup) {
  const present = [nginx, shared].filter((target) => target !== undefined);
  return [upstream, bare, ours, sampled, ...present];
}

/** 1 KB answers at so many callers. */
async function benchCalls(setup: ProxySetup, callers: number): Promise<BenchRow[]> {
  const { upstream, bare, ours } = setup;
  const targets = listTargets(setup);
  const results = new Map(targets.map((target) => [target, [] as LoadResult[]]));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [target, list] of results) {
      list.push(await runLoad(target, { callers, durationMs: ROUND_MS }));
    }
  }
  const middle = (target: typeof ours, read: (result: LoadResult) => number) =>
    median((results.get(target) ?? []).map(read));
  const baseline = { name: bare.name, value: middle(bare, (result) => result.perSecond) };
  const rows: BenchRow[] = targets.map((target) => ({
    name: `proxy, ${callers} callers: ${target.name}`,
    value: middle(target, (result) => result.perSecond),
    unit: "requests/s",
    ...(target === bare ? {} : { baseline }),
    note: describe((read) => middle(target, read)),
  }));
  if (callers > 1) return rows;
  const added = middle(ours, ({ p50Ms }) => p50Ms) - middle(upstream, ({ p50Ms }) => p50Ms);
  const bareAdded = middle(bare, ({ p50Ms }) => p50Ms) - middle(upstream, ({ p50Ms }) => p50Ms);
  const note = `the bare pass-through adds ${bareAdded.toFixed(3)} ms`;
  return [...rows, { name: "proxy, time added (p50)", value: added, unit: "ms", note }];
}

function describe(middle: (read: (result: LoadResult) => number) => number): string {
  const [p50, p99] = [middle(({ p50Ms }) => p50Ms), middle(({ p99Ms }) => p99Ms)];
  const [own, database] = [middle(({ cpuUs }) => cpuUs), middle((result) => result.databaseCpuUs)];
  const cpu = `${own.toFixed(0)} µs CPU a request${database >= 1 ? `, ${database.toFixed(0)} in its database` : ""}`;
  return `p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms, ${cpu}`;
}
