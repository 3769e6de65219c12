import type { BenchRow } from "../meters/row.ts";
import { evaluate, openWindow, type Subject, shareOf, type Window } from "./subject.ts";

const LOADS = 7;

/** From the address to the first paint, and to rows that can be used; with nothing in the browser's cache, and again. */
export async function measureFirstPaint(subject: Subject): Promise<BenchRow[]> {
  const cold = { paint: [] as number[], rows: [] as number[] };
  const warm = { paint: [] as number[], rows: [] as number[] };
  for (let load = 0; load < LOADS; load += 1) {
    await using window = await openWindow(subject);
    for (const times of [cold, warm]) {
      const { paint, rows } = await loadOnce(window);
      times.paint.push(paint);
      times.rows.push(rows);
    }
  }
  const row = (name: string, values: readonly number[], bar: number): BenchRow => ({
    name: `dashboard: ${name}, median`,
    value: shareOf(values, 0.5),
    unit: "ms",
    note: `${LOADS} loads, the slowest ${Math.round(shareOf(values, 1))} ms; bar ${bar}`,
  });
  return [
    row("first paint, cold", cold.paint, 500),
    row("first paint, warm", warm.paint, 250),
    row("rows of a list, cold", cold.rows, 700),
  ];
}

async function loadOnce(window: Window): Promise<{ paint: number; rows: number }> {
  const { page, address } = window;
  await page.goto(`${address}/dev/operations?range=all`, { waitUntil: "commit" });
  await page.locator("a[data-row='0']").waitFor();
  const rows = Number(await evaluate(window, "performance.now()"));
  const paint = await evaluate(
    window,
    "performance.getEntriesByName('first-contentful-paint')[0].startTime",
  );
  return { paint: Number(paint), rows };
}
