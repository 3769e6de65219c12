import type { BenchRow } from "../meters/row.ts";
import { evaluate, openWindow, type Subject } from "./subject.ts";

const BYTES = 10 * 1000 * 1000;
const MODEL = "open/c-0/Thing";

/** A record of 10 MB in its panel: when its first lines are there, and the longest time the page does not answer. */
export async function measureJson(subject: Subject): Promise<BenchRow[]> {
  await using window = await openWindow(subject);
  const { page, address } = window;
  const at = new Date().toISOString();
  const small = {
    id: "r-1",
    _svc_metadata: { ...metadata, first_seen_at: at, last_modified_at: at },
  };
  const large = JSON.stringify({ ...small, rows: contentOf(BYTES) });
  // No server stores a record of this size; what is measured is the browser, from the answer on.
  await page.route(/\/records(?:\/r-1)?\?/, async (route) => {
    const isOne = route.request().url().includes("/records/r-1");
    const body = isOne
      ? `{"data":${large}}`
      : JSON.stringify({ records: [small], next_cursor: null });
    await route.fulfill({ contentType: "application/json", body });
  });
  await page.goto(`${address}/dev/records/${MODEL}`);
  await page.locator("a[data-row='0']").waitFor();
  await evaluate(window, watchTasks);
  await page.locator("a[data-row='0']").click();
  await page.getByText("row 0 of many").waitFor();
  const [shown = 0, longest = 0] = Object.values(Object(await evaluate(window, readTasks))).map(
    Number,
  );
  return [
    {
      name: "dashboard: 10 MB of JSON, first lines after its answer",
      value: shown,
      unit: "ms",
      note: "bar 500",
    },
    {
      name: "dashboard: 10 MB of JSON, longest task",
      value: longest,
      unit: "ms",
      note: "parsing included; bar 50",
    },
  ];
}

const metadata = {
  deleted_at: null,
  pruned_at: null,
  cursor: "cursor",
  last_action: "ADDED",
};

function contentOf(bytes: number): object[] {
  const row = { text: "row 0 of many", words: "x".repeat(80) };
  const each = JSON.stringify(row).length + 1;
  return Array.from({ length: Math.ceil(bytes / each) }, (_, place) => ({
    ...row,
    text: `row ${place} of many`,
  }));
}

const watchTasks = `
  window.tasks = [];
  new PerformanceObserver((list) => window.tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({ type: "longtask" });
  window.shownAt = undefined;
  new MutationObserver(() => {
    if (window.shownAt === undefined && document.body.textContent.includes("row 0 of many")) window.shownAt = performance.now();
  }).observe(document.body, { childList: true, subtree: true, characterData: true });
`;

const readTasks = `
  (() => {
    const asked = performance.getEntriesByType("resource").findLast(({ name }) => name.includes("/records/r-1"));
    return { shown: window.shownAt - asked.responseEnd, longest: Math.max(0, ...window.tasks) };
  })()
`;
