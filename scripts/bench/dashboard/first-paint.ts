import { once } from "node:events";
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { BenchRow } from "../meters/row.ts";
import { evaluate, openWindow, type Subject, shareOf, type Window } from "./subject.ts";

const LOADS = 7;
const WITHIN_MS = 30_000;

/** When something of a load was there, in milliseconds from its beginning. */
interface Times {
  /** The frame of the page. */
  readonly paint: number;
  /** The menu, which can be used. */
  readonly menu: number;
  readonly rows: number;
}

/**
 * From the address to the first paint, to the menu and to rows that can be used; with nothing in the browser's cache, and
 * again. A page of one line, loaded in between, shows what the machine and the browser take by themselves.
 */
export async function measureFirstPaint(subject: Subject): Promise<BenchRow[]> {
  await using line = await serveLine();
  const cold: Times[] = [];
  const warm: Times[] = [];
  const control: number[] = [];
  for (let load = 0; load < LOADS; load += 1) {
    await using window = await openWindow(subject);
    await watchLoads(window);
    for (const times of [cold, warm]) times.push(await loadOnce(window));
    control.push(await paintOf(window, line.url));
  }
  const baseline = { name: "a page of one line", value: shareOf(control, 0.5) };
  const row = (name: string, loads: readonly Times[], what: keyof Times, bar: number): BenchRow => {
    const values = loads.map((times) => times[what]);
    return {
      name: `dashboard: ${name}, median`,
      value: shareOf(values, 0.5),
      unit: "ms",
      baseline,
      note: `${LOADS} loads, from ${Math.round(shareOf(values, 0))} to ${Math.round(shareOf(values, 1))} ms; bar ${bar}`,
    };
  };
  return [
    row("first paint, cold", cold, "paint", 500),
    row("first paint, warm", warm, "paint", 250),
    row("menu, cold", cold, "menu", 500),
    row("rows of a list, cold", cold, "rows", 700),
  ];
}

async function loadOnce(window: Window): Promise<Times> {
  const paint = await paintOf(window, `${window.address}/dev/operations?range=all`);
  const rows = await numberOf(window, "window.rowsAt");
  return { paint, menu: await numberOf(window, "window.menuAt"), rows };
}

async function paintOf(window: Window, url: string): Promise<number> {
  await window.session.send("Page.navigate", { url });
  return await numberOf(
    window,
    "performance.getEntriesByName('first-contentful-paint')[0]?.startTime",
  );
}

/** By the page itself: what a test tool adds to a page to wait for something would be a part of what is measured. */
async function watchLoads({ session }: Window): Promise<void> {
  await session.send("Page.enable");
  await session.send("Page.addScriptToEvaluateOnNewDocument", {
    source: `
      new MutationObserver((_changes, observer) => {
        if (document.querySelector("nav li a") !== null) window.menuAt ??= performance.now();
        if (document.querySelector("a[data-row='0']") === null) return;
        window.rowsAt = performance.now();
        observer.disconnect();
      }).observe(document, { childList: true, subtree: true });
    `,
  });
}

/** What an expression gives, once it gives a number. */
async function numberOf(window: Window, expression: string): Promise<number> {
  const until = performance.now() + WITHIN_MS;
  while (performance.now() < until) {
    const value = await evaluate(window, expression);
    if (typeof value === "number") return value;
    await sleep(50);
  }
  throw new Error(`${expression} is no number after ${WITHIN_MS / 1000} s`);
}

async function serveLine(): Promise<AsyncDisposable & { url: string }> {
  const server = createServer((_request, response) => {
    response.setHeader("content-type", "text/html");
    response.end("<!doctype html><title>A page</title><p>A page of one line.</p>");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return {
    url: `http://127.0.0.1:${address.port}/`,
    [Symbol.asyncDispose]: async () => void server.close(),
  };
}
