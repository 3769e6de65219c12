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

const ROWS = 100_000;
const READ_WITHIN_MS = 120_000;
const FRAMES = 240;

/** A list whose 100,000 rows were all read: its part of the document, scrolling it, the key End, and memory. */
export async function measureLongList(subject: Subject): Promise<BenchRow[]> {
  await using window = await openWindow(subject);
  const { page, address } = window;
  await page.goto(`${address}/dev/operations?range=all`);
  await page.locator("a[data-row='0']").waitFor();
  const before = await heapMbOf(window);
  const startedAt = performance.now();
  let last = 0;
  while (last < ROWS && performance.now() - startedAt < READ_WITHIN_MS) {
    last = Number(await evaluate(window, readOn));
  }
  const readMs = performance.now() - startedAt;
  const nodes = Number(
    await evaluate(window, "document.querySelectorAll('.table-scroll *').length"),
  );
  await evaluate(window, watchFrames);
  await evaluate(window, scroll);
  const frames = numbersOf(await evaluate(window, "window.frameTimes"));
  await page.locator("a[data-row]").first().focus();
  const end = Number(await evaluate(window, pressEnd));
  const heap = await heapMbOf(window);
  const named = `dashboard: a list of ${last.toLocaleString("en")} rows`;
  return [
    { name: `${named}, nodes`, value: nodes, unit: "nodes", note: "bar 400" },
    {
      name: `${named}, frame while it scrolls, p95`,
      value: shareOf(frames, 0.95),
      unit: "ms",
      note: `median ${shareOf(frames, 0.5).toFixed(1)} ms; bar 34`,
    },
    { name: `${named}, key End`, value: end, unit: "ms", note: "bar 100" },
    {
      name: `${named}, heap of the page`,
      value: heap,
      unit: "MB",
      note: `${Math.round(before)} MB with the first page; read in ${Math.round(readMs / 1000)} s; bar 80`,
    },
  ];
}

/** To the end, again and again for a second; gives the number of the last row that was read. */
const readOn = `
  (async () => {
    const box = document.querySelector(".table-scroll");
    const until = performance.now() + 1000;
    while (performance.now() < until) {
      box.scrollTop = box.scrollHeight;
      await new Promise((resolve) => setTimeout(resolve, 4));
    }
    return Math.max(...[...document.querySelectorAll("a[data-row]")].map((row) => Number(row.dataset.row) + 1));
  })()
`;

const scroll = `
  (async () => {
    const box = document.querySelector(".table-scroll");
    box.scrollTop = 0;
    for (let frame = 0; frame < ${FRAMES}; frame += 1) {
      box.scrollTop += 640;
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
  })()
`;

/** Until the last row has the focus and was painted. */
const pressEnd = `
  (async () => {
    const startedAt = performance.now();
    document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: "End", bubbles: true, cancelable: true }));
    const before = document.activeElement.dataset.row;
    while (document.activeElement.dataset.row === before && performance.now() - startedAt < 5000) {
      await new Promise((resolve) => setTimeout(resolve, 0));
    }
    await new Promise((resolve) => requestAnimationFrame(resolve));
    return performance.now() - startedAt;
  })()
`;
