import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import * as z from "zod";
import { bundleFunction } from "../../packages/functions/src/compile/index.ts";
import { makeDataFolder } from "../../tests/launcher/data-folder.ts";
import {
  type PlatformProcess,
  startPlatformProcess,
} from "../../tests/launcher/platform-process.ts";
import { callerOf, deployBenchProject } from "./bench-project.ts";
import { type LoadResult, runLoad } from "./load/run-load.ts";
import { readCpuTime } from "./meters/cpu-time.ts";
import { type BenchRow, median } from "./meters/row.ts";

const ROUND_MS = 1500;
const ROUNDS = 3;
const ENVIRONMENTS = 50;
const HOST_CALLS = 2000;

const caller = { "provider-config-key": "bench", "connection-id": "bench" };
const ping = { action_name: "ping", input: { text: "x" } };

/** Actions over HTTP against the same handler in process; processes from cold; calls of a function to its host. */
export async function benchFunctions(): Promise<BenchRow[]> {
  await using folder = await makeDataFolder();
  const key = randomUUID();
  const platform = await startPlatformProcess({
    dataDir: folder.path,
    env: { SVC_BOOTSTRAP_KEY: key },
  });
  try {
    await deployBenchProject(platform.url, key);
    const alone = await load(platform, key, 1);
    const many = await load(platform, key, 16);
    const inProcess = measureInProcess();
    return [
      ...latencyRows("warm action, 1 caller", alone, inProcess),
      ...latencyRows("warm action, 16 callers", many, inProcess),
      ...(await alternatingRows(platform, key)),
      ...(await coldRows(platform, key)),
      ...(await environmentRows(platform)),
      await hostCallRow(platform.url, key, 1),
      await hostCallRow(platform.url, key, 16),
      await largeOutputsRow(platform, key),
    ];
  } finally {
    await platform.stop();
  }
}

async function load(platform: PlatformProcess, key: string, callers: number): Promise<LoadResult> {
  const headers = {
    authorization: `Bearer ${key}`,
    "content-type": "application/json",
    ...caller,
  };
  const target = { name: "ours", url: platform.url, headers, processId: platform.processId };
  const results: LoadResult[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const body = JSON.stringify(ping);
    const plan = { callers, durationMs: ROUND_MS, path: "/action/trigger", body };
    const result = await runLoad(target, plan);
    // The first round warms up.
    if (round > 0) results.push(result);
  }
  const of = (name: keyof LoadResult) => median(results.map((result) => result[name]));
  return {
    perSecond: of("perSecond"),
    p50Ms: of("p50Ms"),
    p99Ms: of("p99Ms"),
    maxMs: Math.max(...results.map(({ maxMs }) => maxMs)),
    cpuUs: of("cpuUs"),
    databaseCpuUs: of("databaseCpuUs"),
  };
}

function latencyRows(name: string, result: LoadResult, inProcess: number): BenchRow[] {
  const note = `${Math.round(result.cpuUs)} µs of the server's CPU a call`;
  const baseline = { name: "the same handler in process", value: inProcess };
  return [
    { name: `${name}, p50`, value: result.p50Ms, unit: "ms" },
    { name: `${name}, p99`, value: result.p99Ms, unit: "ms" },
    { name: `${name}, slowest`, value: result.maxMs, unit: "ms" },
    { name: `${name}`, value: result.perSecond, unit: "calls/s", baseline, note },
  ];
}

/** The handler with its checks and its JSON, on one core and with nothing between. */
function measureInProcess(): number {
  const schema = z.object({ text: z.string() });
  const body = JSON.stringify(ping);
  const startedAt = performance.now();
  let calls = 0;
  let bytes = 0;
  while (performance.now() < startedAt + 500) {
    for (let n = 0; n < 1000; n += 1) {
      const input: unknown = JSON.parse(body).input;
      const output = schema.parse(schema.parse(input));
      bytes += JSON.stringify(output).length;
    }
    calls += 1000;
  }
  if (bytes === 0) throw new Error("nothing was done");
  return (1000 * calls) / (performance.now() - startedAt);
}

/** Each call is another connection's than the one before: its process is cleaned, or replaced. */
async function alternatingRows(platform: PlatformProcess, key: string): Promise<BenchRow[]> {
  const call = callerOf(platform.url, key);
  await call("POST", "/connections", { ...connection, connection_id: "bench-2" });
  const rows: BenchRow[] = [];
  for (const [name, action, calls] of alternating) {
    const times: number[] = [];
    const before = readCpuTime(platform.processId).belowMs;
    for (let n = 0; n < calls; n += 1) {
      const headers = { ...caller, "connection-id": n % 2 === 0 ? "bench" : "bench-2" };
      const startedAt = performance.now();
      await call("POST", "/action/trigger", { ...ping, action_name: action }, headers);
      times.push(performance.now() - startedAt);
    }
    const cpuMs = (readCpuTime(platform.processId).belowMs - before) / calls;
    const note = `${calls} calls; ${cpuMs.toFixed(1)} ms CPU of processes each`;
    rows.push({
      name: `alternating connections, ${name}, p50`,
      value: median(times),
      unit: "ms",
      note,
    });
  }
  return rows;
}

const alternating = [
  ["process cleaned", "ping", 400],
  ["process replaced", "stain", 40],
] as const;

/** The same function under a new name each time: no process has it loaded. */
async function coldRows(platform: PlatformProcess, key: string): Promise<BenchRow[]> {
  const names = Array.from({ length: 20 }, (_, n) => `cold-${n}`);
  const times = await runEach(platform.url, [{ key, names }]);
  const note = `${names.length} functions in turn; a spare process is ready`;
  return [
    { name: "cold action, p50", value: median(times), unit: "ms", note },
    { name: "cold action, slowest", value: Math.max(...times), unit: "ms", note },
  ];
}

/** Environments in turn, none of which may share a process with another. */
async function environmentRows(platform: PlatformProcess): Promise<BenchRow[]> {
  const call = callerOf(platform.url, platform.keys.get("account") ?? "");
  const keys: string[] = [];
  for (let n = 0; n < ENVIRONMENTS; n += 1) {
    const created = await call("POST", "/environments", { name: `bench-${n}` });
    const { data } = createdEnvironment.parse(created);
    await callerOf(platform.url, data.api_key.secret)("POST", "/integrations", integration);
    await callerOf(platform.url, data.api_key.secret)("POST", "/connections", connection);
    keys.push(data.api_key.secret);
  }
  const turns = keys.map((key) => ({ key, names: ["ping"] }));
  const first = await runEach(platform.url, turns);
  const second = await runEach(platform.url, turns, false);
  const note = `${ENVIRONMENTS} environments in turn`;
  return [
    { name: "environments in turn, first call, p50", value: median(first), unit: "ms", note },
    { name: "environments in turn, first call, slowest", value: Math.max(...first), unit: "ms" },
    { name: "environments in turn, second call, p50", value: median(second), unit: "ms", note },
    { name: "environments in turn, second call, slowest", value: Math.max(...second), unit: "ms" },
  ];
}

const createdEnvironment = z.object({
  data: z.object({ api_key: z.object({ secret: z.string() }) }),
});
const integration = { provider: "unauthenticated", unique_key: "bench" };
const connection = {
  provider_config_key: "bench",
  connection_id: "bench",
  credentials: { type: "NONE" },
};

/** Milliseconds of one call for each name and key, one after the other. */
async function runEach(
  url: string,
  turns: readonly { key: string; names: readonly string[] }[],
  deploys = true,
): Promise<number[]> {
  const bundle = await bundlePing();
  if (deploys) for (const { key, names } of turns) await deployPing(url, key, names, bundle);
  const times: number[] = [];
  for (const { key, names } of turns) {
    const call = callerOf(url, key);
    for (const name of names) {
      const startedAt = performance.now();
      await call("POST", "/action/trigger", { ...ping, action_name: name }, caller);
      times.push(performance.now() - startedAt);
    }
  }
  return times;
}

async function bundlePing(): Promise<string> {
  const root = fileURLToPath(new URL("functions/", import.meta.url));
  const entryFile = `${root}bench/actions/ping.ts`;
  const names = { integrationId: "bench", functionName: "ping" };
  return (await bundleFunction({ source: { entryFile }, root, ...names })).code;
}

/** Each with a text of its own, since equal bundles of one environment share their process. */
async function deployPing(
  url: string,
  key: string,
  names: readonly string[],
  bundle: string,
): Promise<void> {
  const flowConfigs = names.map((name) => ({
    type: "action",
    syncName: name,
    providerConfigKey: "bench",
    models: [],
    runs: null,
    fileBody: { js: `${bundle}\n// ${name}`, ts: "" },
  }));
  await callerOf(url, key)("POST", "/sync/deploy", { flowConfigs, reconcile: false });
}

const LARGE = 10 * 1024 * 1024;
const LARGE_AT_ONCE = 20;

/** What the server grows by while it passes on as much as actions may answer with. */
async function largeOutputsRow(platform: PlatformProcess, key: string): Promise<BenchRow> {
  const call = callerOf(platform.url, key);
  const input = { text: "x".repeat(LARGE - JSON.stringify({ text: "" }).length) };
  const before = await readPeakMb(platform.processId);
  await Promise.all(
    Array.from({ length: LARGE_AT_ONCE }, async () => {
      await call("POST", "/action/trigger", { ...ping, input }, caller);
    }),
  );
  return {
    name: "peak memory of the server with outputs of 10 MiB",
    value: await readPeakMb(platform.processId),
    unit: "MB",
    note: `${LARGE_AT_ONCE} at once, each with an input of 10 MiB; ${Math.round(before)} MB before`,
  };
}

async function readPeakMb(processId: number): Promise<number> {
  const status = await readFile(`/proc/${processId}/status`, "utf8");
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1]) / 1024;
}

async function hostCallRow(url: string, key: string, atOnce: number): Promise<BenchRow> {
  const call = callerOf(url, key);
  const input = { calls: HOST_CALLS, atOnce };
  const times: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    const answer = await call(
      "POST",
      "/action/trigger",
      { action_name: "host-calls", input },
      caller,
    );
    times.push(z.object({ microseconds: z.number() }).parse(answer).microseconds);
  }
  return {
    name: `one call of a function to its host, ${atOnce} at once`,
    value: median(times),
    unit: "µs",
    note: `${HOST_CALLS} calls that do nothing`,
  };
}
