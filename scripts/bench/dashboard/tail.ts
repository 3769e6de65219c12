import { setTimeout as sleep } from "node:timers/promises";
import type { BenchRow } from "../meters/row.ts";
import {
  evaluate,
  heapMbOf,
  numbersOf,
  openWindow,
  type Subject,
  shareOf,
  type Window,
  watchFrames,
} from "./subject.ts";

const PER_SECOND = 200;
/** `BENCH_TAIL_SECONDS=20` for a first look. */
// biome-ignore lint/style/noProcessEnv: scripts configure themselves from the environment
const SECONDS = Number(process.env["BENCH_TAIL_SECONDS"] ?? 600);
/** What counts as flat: the list keeps a page of rows, and the engine its compiled code. */
const MOST_GROWTH = 20;
const TICK_MS = 50;
/** How often memory is read. */
const SLICE_SECONDS = Math.min(60, Math.max(5, SECONDS / 10));
/** A list is read again up to two seconds after the last change, and drawn. */
const SETTLE_MS = 1000;
const MOST_SETTLES = 10;
/** Until the engine has compiled what the page runs again and again: a tenth of the time that is measured. */
const WARM_UP_SECONDS = Math.max(5, Math.min(60, SECONDS / 10));

/** The list of operations at its top while 200 a second are made: nothing moves by itself, and memory stays. */
export async function measureTail(subject: Subject): Promise<BenchRow[]> {
  await using window = await openWindow(subject);
  const { page, address } = window;
  await page.goto(`${address}/dev/operations`);
  await page.locator("a[data-row='0']").waitFor();
  await evaluate(window, watchShifts);
  await callFor(subject, WARM_UP_SECONDS);
  const readings = [await readSettled(window)];
  const frames: number[] = [];
  let made = 0;
  await evaluate(window, watchFrames);
  for (let at = 0; at < SECONDS; at += SLICE_SECONDS) {
    made += await callFor(subject, SLICE_SECONDS);
    frames.push(...numbersOf(await evaluate(window, takeFrames)));
    readings.push(await readSettled(window));
    // The collection above is none of the page's doing.
    await evaluate(window, takeFrames);
  }
  const heaps = readings.map(({ heapMb }) => heapMb);
  const nodes = readings.map((reading) => reading.nodes.join(" > "));
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
      value: heaps.at(-1) ?? Number.NaN,
      unit: "MB",
      baseline: { name: "before", value: heaps[0] ?? Number.NaN },
      note: `bar ${100 + MOST_GROWTH} % of before; each ${SLICE_SECONDS} s: ${heaps.map((heap) => heap.toFixed(1)).join(", ")} MB; nodes ${nodes.join(", ")}`,
    },
  ];
}

/** Calls through the proxy, each an operation; gives how many were answered. */
async function callFor({ server, headers }: Subject, seconds: number): Promise<number> {
  const startedAt = performance.now();
  let called = 0;
  const calls = new Set<Promise<void>>();
  let answered = 0;
  const callOnce = async (): Promise<void> => {
    const response = await fetch(`${server.url}/proxy/contacts`, { headers });
    await response.arrayBuffer();
    if (response.status === 200) answered += 1;
  };
  while (called < seconds * PER_SECOND) {
    // A timer that is late is made up for: the rate is what was promised.
    const due = Math.ceil(((performance.now() - startedAt + TICK_MS) * PER_SECOND) / 1000);
    for (; called < Math.min(due, seconds * PER_SECOND); called += 1) {
      const made = callOnce().finally(() => calls.delete(made));
      calls.add(made);
    }
    await sleep(TICK_MS);
  }
  await Promise.all(calls);
  return answered;
}

interface Reading {
  readonly heapMb: number;
  /** Of each look, the last two of which are the same. */
  readonly nodes: readonly number[];
}

/**
 * Once nothing is drawn any more: a reading in the middle of a change has the rows before and those after it. What is
 * held for good stays in each look.
 */
async function readSettled(window: Window): Promise<Reading> {
  const nodes: number[] = [];
  let heapMb = await heapMbOf(window);
  nodes.push(await countNodes(window));
  while (nodes.length < 2 || (nodes.at(-1) !== nodes.at(-2) && nodes.length < MOST_SETTLES)) {
    await sleep(SETTLE_MS);
    heapMb = await heapMbOf(window);
    nodes.push(await countNodes(window));
  }
  return { heapMb, nodes };
}

/** Of the document and of what has left it and is still held. */
async function countNodes({ session }: Window): Promise<number> {
  return (await session.send("Memory.getDOMCounters")).nodes;
}

const takeFrames = "window.frameTimes.splice(0)";

const watchShifts = `
  window.shifts = [];
  new PerformanceObserver((list) => window.shifts.push(...list.getEntries().map(({ value }) => value))).observe({ type: "layout-shift" });
`;
