import { setTimeout as sleep } from "node:timers/promises";
import { readCpuTime } from "../meters/cpu-time.ts";
import type { BenchRow } from "../meters/row.ts";
import type { Subject } from "./subject.ts";

export const BROWSERS = 50;
const SECONDS = 20;
export const TOPICS = "operations,connections,syncs,problems,deliveries,inbox,setup";

/** The streams that so many browsers hold open, one each, while nobody does anything. */
export async function measureBrowsers({ owner, server }: Subject): Promise<BenchRow[]> {
  const leaving = new AbortController();
  const before = await cpuOf(server.processId);
  const streams = await Promise.all(
    Array.from({ length: BROWSERS }, async () => {
      const response = await fetch(`${server.url}/events?topics=${TOPICS}`, {
        headers: { ...owner.headers, accept: "text/event-stream" },
        signal: leaving.signal,
      });
      if (response.status !== 200) throw new Error(await response.text());
      return response;
    }),
  );
  const held = await cpuOf(server.processId);
  leaving.abort();
  await Promise.allSettled(streams.map(async (stream) => await stream.body?.cancel()));
  return [
    {
      name: `dashboard: ${BROWSERS} browsers at rest, share of a core`,
      value: held,
      unit: "%",
      note: `${before.toFixed(2)} % without one; bar 2`,
    },
  ];
}

/** Share of a core that the server takes, in percent. */
async function cpuOf(processId: number): Promise<number> {
  const { ownMs } = readCpuTime(processId);
  await sleep(SECONDS * 1000);
  return (readCpuTime(processId).ownMs - ownMs) / (SECONDS * 10);
}
