import { setTimeout as sleep } from "node:timers/promises";
import type { BenchRow } from "../meters/row.ts";
import {
  evaluate,
  heapMbOf,
  numbersOf,
  openWindow,
  type Subject,
  shareOf,
  watchFrames,
} from "./subject.ts";

const PER_SECOND = 200;
const SECONDS = 20;
const TICK_MS = 50;

/** The list of operations at its top while 200 a second are made: nothing moves by itself, and memory stays. */
export async function measureTail(subject: Subject): Promise<BenchRow[]> {
  await using window = await openWindow(subject);
  const { page, address } = window;
  await page.goto(`${address}/dev/operations`);
  await page.locator("a[data-row='0']").waitFor();
  await evaluate(window, watchShifts);
  await callFor(subject, 5);
  const before = await heapMbOf(window);
  await evaluate(window, watchFrames);
  const made = await callFor(subject, SECONDS);
  const frames = numbersOf(await evaluate(window, "window.frameTimes"));
  const after = await heapMbOf(window);
  const shifts = numbersOf(await evaluate(window, "window.shifts"));
  const named = `dashboard: tail of ${Math.round(made / SECONDS)} operations a second for ${SECONDS} s`;
  return [
    {
      name: `${named}, layout shift`,
      value: shifts.reduce((sum, shift) => sum + shift, 0),
      unit: "CLS",
      note: "bar 0",
    },
    {
      name: `${named}, frame, p95`,
      value: shareOf(frames, 0.95),
      unit: "ms",
      note: "load, server and browser share the machine; bar 34",
    },
    {
      name: `${named}, heap afterwards`,
      value: after,
      unit: "MB",
      baseline: { name: "before", value: before },
    },
  ];
}

/** Calls through the proxy, each an operation; gives how many were answered. */
async function callFor({ server, headers }: Subject, seconds: number): Promise<number> {
  const until = performance.now() + seconds * 1000;
  const calls: Promise<number>[] = [];
  while (performance.now() < until) {
    for (let call = 0; call < (PER_SECOND * TICK_MS) / 1000; call += 1) {
      calls.push(
        fetch(`${server.url}/proxy/contacts`, { headers }).then(async (response) => {
          await response.arrayBuffer();
          return response.status;
        }),
      );
    }
    await sleep(TICK_MS);
  }
  const statuses = await Promise.all(calls);
  return statuses.filter((status) => status === 200).length;
}

const watchShifts = `
  window.shifts = [];
  new PerformanceObserver((list) => window.shifts.push(...list.getEntries().map(({ value }) => value))).observe({ type: "layout-shift" });
`;
