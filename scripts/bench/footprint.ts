import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { makeDataFolder } from "../../tests/launcher/data-folder.ts";
import { startPlatformProcess } from "../../tests/launcher/platform-process.ts";
import { deployBenchProject } from "./bench-project.ts";
import type { BenchRow } from "./meters/row.ts";

/** Function processes beyond those that are kept have gone by then. */
const SETTLE_MS = 15_000;
const IDLE_MS = 15_000;
const CLOCK_TICKS_PER_SECOND = 100;

/** Start to ready, memory and CPU at rest: our processes, without npm and Postgres. */
export async function benchFootprint(): Promise<BenchRow[]> {
  await using folder = await makeDataFolder();
  const dataDir = folder.path;
  const first = await timed(async () => await startPlatformProcess({ dataDir }));
  await first.result.stop();
  const env = { SVC_BOOTSTRAP_KEY: randomUUID() };
  const second = await timed(async () => await startPlatformProcess({ dataDir, env }));
  const platform = second.result;
  await runActions(platform.url, env.SVC_BOOTSTRAP_KEY);
  await sleep(SETTLE_MS);
  const processes = await ownProcesses(platform.processId);
  const before = await cpuSeconds(processes);
  await sleep(IDLE_MS);
  const after = await cpuSeconds(processes);
  const memory = await proportionalMemoryMb(processes);
  await platform.stop();
  const note = `${processes.length} processes`;
  return [
    { name: "first start to ready", value: first.ms, unit: "ms" },
    { name: "second start to ready", value: second.ms, unit: "ms" },
    { name: "idle memory (PSS)", value: memory, unit: "MB", note },
    {
      name: "idle CPU",
      value: (100 * (after - before) * 1000) / IDLE_MS,
      unit: "% of a core",
      note,
    },
  ];
}

/** So that function processes have been needed, and some are kept at rest. */
async function runActions(url: string, key: string): Promise<void> {
  const call = await deployBenchProject(url, key);
  const headers = { "provider-config-key": "bench", "connection-id": "bench" };
  for (let n = 0; n < 20; n += 1) {
    const body = { action_name: "ping", input: { text: "x" } };
    await call("POST", "/action/trigger", body, headers);
  }
}

async function timed<Result>(work: () => Promise<Result>): Promise<{ result: Result; ms: number }> {
  const startedAt = performance.now();
  const result = await work();
  return { result, ms: performance.now() - startedAt };
}

/** The process and its descendants, without Postgres. */
async function ownProcesses(root: number): Promise<number[]> {
  const { stdout } = await promisify(execFile)("ps", ["-eo", "pid=,ppid=,comm="]);
  const rows = stdout.split("\n").map((line) => {
    const [pid, parent, name = ""] = line.trim().split(/\s+/);
    return { pid: Number(pid), parent: Number(parent), name };
  });
  const own = new Set([root]);
  for (let size = 0; size !== own.size; ) {
    size = own.size;
    for (const { pid, parent, name } of rows) {
      if (own.has(parent) && name !== "postgres") own.add(pid);
    }
  }
  return [...own];
}

async function cpuSeconds(processes: readonly number[]): Promise<number> {
  const ticks = await Promise.all(
    processes.map(async (pid) => {
      const stat = await readFile(`/proc/${pid}/stat`, "utf8");
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      return Number(fields[11]) + Number(fields[12]);
    }),
  );
  return ticks.reduce((sum, each) => sum + each, 0) / CLOCK_TICKS_PER_SECOND;
}

async function proportionalMemoryMb(processes: readonly number[]): Promise<number> {
  const sizes = await Promise.all(
    processes.map(async (pid) => {
      const rollup = await readFile(`/proc/${pid}/smaps_rollup`, "utf8");
      return Number(/^Pss:\s+(\d+) kB/m.exec(rollup)?.[1]) / 1024;
    }),
  );
  return sizes.reduce((sum, each) => sum + each, 0);
}
