import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import * as z from "zod";
import { readCpuTime } from "../meters/cpu-time.ts";
import type { ProxyTarget } from "../proxy/proxy-setup.ts";

export interface LoadResult {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  /** CPU of the target for one call, in microseconds; that of its database apart. */
  readonly cpuUs: number;
  readonly databaseCpuUs: number;
}

const answer = z.object({
  calls: z.number(),
  p50Ms: z.number(),
  p99Ms: z.number(),
  maxMs: z.number(),
});
const client = fileURLToPath(new URL("load-client.ts", import.meta.url));

/** Calls the target from a process of its own, as fast as its answers come. */
export async function runLoad(
  { url, headers, processId, hasWorkers = false }: ProxyTarget,
  load: { callers: number; durationMs: number; path?: string; body?: string },
): Promise<LoadResult> {
  const { callers, durationMs, path = "/x", body } = load;
  const before = readCpuTime(processId);
  const plan = JSON.stringify({ url: `${url}${path}`, headers, callers, durationMs, body });
  const { stdout } = await promisify(execFile)(process.execPath, [client, plan]);
  const after = readCpuTime(processId);
  const { calls, p50Ms, p99Ms, maxMs } = answer.parse(JSON.parse(stdout));
  const ownMs = after.ownMs - before.ownMs;
  const belowMs = after.belowMs - before.belowMs;
  return {
    perSecond: (1000 * calls) / durationMs,
    p50Ms,
    p99Ms,
    maxMs,
    cpuUs: (1000 * (hasWorkers ? ownMs + belowMs : ownMs)) / calls,
    databaseCpuUs: hasWorkers ? 0 : (1000 * belowMs) / calls,
  };
}
