import { randomUUID } from "node:crypto";
import { makeDataFolder } from "../../tests/launcher/data-folder.ts";
import { startPlatformProcess } from "../../tests/launcher/platform-process.ts";
import { callerOf, deployBenchProject } from "./bench-project.ts";
import { type LoadResult, runLoad } from "./load/run-load.ts";
import { type BenchRow, median } from "./meters/row.ts";

const ROUND_MS = 1500;
const ROUNDS = 5;
const caller = { "provider-config-key": "bench", "connection-id": "bench" };
const ping = JSON.stringify({ action_name: "ping", input: { text: "x" } });
const rule = "/integrations/bench/functions/ping/tape-rule";

/** The same action without a rule, with one that records no run, and while each run is recorded. */
export async function benchTapes(): Promise<BenchRow[]> {
  await using folder = await makeDataFolder();
  const key = randomUUID();
  const env = { SVC_BOOTSTRAP_KEY: key };
  const platform = await startPlatformProcess({ dataDir: folder.path, env });
  try {
    await deployBenchProject(platform.url, key);
    const call = callerOf(platform.url, key);
    const headers = {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      ...caller,
    };
    const target = { name: "ours", url: platform.url, headers, processId: platform.processId };
    const round = async () =>
      await runLoad(target, {
        ...{ callers: 1, durationMs: ROUND_MS, path: "/action/trigger", body: ping },
      });
    await round();
    const off: LoadResult[] = [];
    const waiting: LoadResult[] = [];
    // In turn, so that what else the machine does is the same for both.
    for (let n = 0; n < ROUNDS; n += 1) {
      off.push(await round());
      await call("PUT", rule, { sample: 0.000_000_001 });
      waiting.push(await round());
      await call("DELETE", rule);
    }
    await call("PUT", rule, { sample: 1 });
    const on = [await round(), await round()];
    await call("DELETE", rule);
    return [
      row("action without a rule", off),
      row("action with a rule that does not choose its run", waiting, off),
      row("action of which each run is recorded", on, off),
    ];
  } finally {
    await platform.stop();
  }
}

function row(name: string, results: readonly LoadResult[], baseline?: LoadResult[]): BenchRow {
  const of = (field: keyof LoadResult, all: readonly LoadResult[] = results) =>
    median(all.map((result) => result[field]));
  return {
    name: `${name}, p50`,
    value: of("p50Ms"),
    unit: "ms",
    ...(baseline && { baseline: { name: "without a rule", value: of("p50Ms", baseline) } }),
    note: `${Math.round(of("cpuUs"))} µs of the server's CPU a call`,
  };
}
