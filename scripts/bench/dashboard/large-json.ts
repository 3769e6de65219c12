import { once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { BenchRow } from "../meters/row.ts";
import { evaluate, openWindow, type Subject } from "./subject.ts";

const BYTES = 10 * 1000 * 1000;
const MODEL = "open/c-0/Thing";

/** A record of 10 MB in its panel: when its first lines are there, and the longest time the page does not answer. */
export async function measureJson(subject: Subject): Promise<BenchRow[]> {
  const at = new Date().toISOString();
  const small = {
    id: "r-1",
    _svc_metadata: { ...metadata, first_seen_at: at, last_modified_at: at },
  };
  const large = JSON.stringify({ ...small, rows: contentOf(BYTES) });
  // No server stores a record of this size: one in front of it answers for it. The browser's own way to answer a request
  // (`route.fulfill`) would hand the body over in one piece, in a task of 50 ms and more.
  await using front = await serveInFront(subject.server.url, {
    "/records": JSON.stringify({ records: [small], next_cursor: null }),
    "/records/r-1": `{"data":${large}}`,
  });
  await using window = await openWindow({ ...subject, server: front });
  const { page, address } = window;
  await page.goto(`${address}/dev/records/${MODEL}`);
  await page.locator("a[data-row='0']").waitFor();
  await evaluate(window, watchTasks);
  await page.locator("a[data-row='0']").click();
  await page.getByText("row 0 of many").first().waitFor();
  const panel = page.getByRole("complementary");
  await panel.getByText(/^[\d,]{6,} lines$/).waitFor();
  await panel.getByRole("searchbox").fill("ROW 80000 OF");
  const askedAt = performance.now();
  await page.keyboard.press("Enter");
  await panel.getByText("1 of 1", { exact: true }).waitFor();
  const foundMs = performance.now() - askedAt;
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
      note: "parsing and a search included; 0: none took 50 ms; bar 50",
    },
    {
      name: "dashboard: 10 MB of JSON, search",
      value: foundMs,
      unit: "ms",
      note: "from Enter to the line, among 350,000",
    },
  ];
}

/** A server that has these bodies, and passes on all other requests. */
async function serveInFront(
  platform: string,
  bodies: Readonly<Record<string, string>>,
): Promise<AsyncDisposable & { url: string }> {
  const server = createServer((asked, response) => {
    const body = bodies[String(asked.url).split("?", 1)[0] ?? ""];
    if (body === undefined) passOn(platform, asked, response);
    else response.setHeader("content-type", "application/json").end(body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return {
    url: `http://127.0.0.1:${address.port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function passOn(platform: string, asked: IncomingMessage, response: ServerResponse): void {
  const { method, headers, url = "/" } = asked;
  const passed = request(new URL(url, platform), { method: String(method), headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  passed.on("error", () => response.destroy());
  response.on("close", () => passed.destroy());
  asked.pipe(passed);
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
