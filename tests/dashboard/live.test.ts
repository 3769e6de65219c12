import { setTimeout as sleep } from "node:timers/promises";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { closeBrowser, ofItsOwn } from "../connect-ui/browser.ts";
import { type PeopleUnderTest, startPeople } from "../people/people-under-test.ts";
import { dashboardOf, expectAccessible, openAsOwner } from "./open-dashboard.ts";
import { ServedRequests } from "./served-requests.ts";

vi.setConfig({ testTimeout: 180_000 });

const TABS = 20;
const IDLE_MS = 20_000;

let people: PeopleUnderTest;
beforeAll(async () => {
  people = await startPeople();
  const owner = await people.owner();
  const body = { provider: "unauthenticated", unique_key: "open" };
  await owner.call("POST", "/integrations", { environment: "dev", body });
});
afterAll(async () => {
  await closeBrowser();
  await people[Symbol.asyncDispose]();
});

/** A change in `dev`, which every list of operations is to show by itself. */
async function addConnection(id: string): Promise<void> {
  const owner = await people.owner();
  const credentials = { type: "NONE" };
  const body = { provider_config_key: "open", connection_id: id, credentials };
  const { status, text } = await owner.call("POST", "/connections", { environment: "dev", body });
  if (status !== 201) throw new Error(text);
}

async function countRows(page: Page): Promise<number> {
  return await page.locator("a[data-row]").count();
}

test("20 tabs share one stream, all of them load and hear what happens, and then are quiet", async (context) => {
  await addConnection("there-before");
  using served = new ServedRequests();
  await using visit = await openAsOwner(context, people, "/dev/operations?range=all");
  const { page } = visit;
  await expect.poll(() => served.countOpen("/events")).toBe(1);
  const pages = [page];
  while (pages.length < TABS) pages.push(await page.context().newPage());
  for (const tab of pages.slice(1)) {
    await tab.goto(`${dashboardOf(people)}/dev/operations?range=all`);
  }
  for (const tab of pages) await tab.locator("a[data-row='0']").waitFor();
  const before = await Promise.all(pages.map(countRows));

  await addConnection("heard-by-all");
  for (const [index, tab] of pages.entries()) {
    await expect.poll(() => countRows(tab)).toBeGreaterThan(before[index] ?? 0);
  }
  const streams = served.timesOf("/events").length;
  await sleep(3000);
  served.requests.length = 0;
  await sleep(IDLE_MS);

  expect(streams).toBe(1);
  expect(served.countOpen("/events")).toBe(1);
  expect(served.requests).toEqual([]);
});

test("a tab of Home that nobody touches asks at most once a minute, and counts follow what happens", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/operations");
  const { page } = visit;
  await page.clock.install();
  using served = new ServedRequests();
  await page.goto(`${dashboardOf(people)}/dev`);
  await page.getByRole("heading", { level: 1 }).waitFor();
  await expect.poll(() => served.countOpen("/events")).toBe(1);
  await expect.poll(() => served.timesOf("/metrics/totals")).not.toHaveLength(0);
  // What happened before the page was opened may be heard late, and is counted once more.
  await expect
    .poll(async () => {
      const before = served.requests.length;
      await page.clock.runFor(10_000);
      await sleep(1000);
      return served.requests.length - before;
    })
    .toBe(0);
  served.requests.length = 0;

  // In steps, between which answers arrive.
  for (let minute = 0; minute < 12; minute += 1) {
    for (let step = 0; step < 6; step += 1) {
      await page.clock.runFor(10_000);
      await sleep(50);
    }
  }
  await sleep(2000);
  const quiet = served.requests.map(({ path }) => path);
  served.requests.length = 0;
  await addConnection("counted");
  await expect
    .poll(async () => {
      await page.clock.runFor(1000);
      return served.timesOf("/metrics/totals").length;
    })
    .toBeGreaterThan(0);

  expect(quiet.length, quiet.join()).toBeGreaterThan(0);
  // One more where the first of the twelve minutes begins with one.
  expect(quiet.length, quiet.join()).toBeLessThanOrEqual(13);
});

test("what arrives is read out, and does not move what has the focus", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/operations?range=all");
  const { page } = visit;
  await page.locator("a[data-row='0']").focus();
  const focused = await page.evaluate("document.activeElement.textContent");

  await addConnection("read-out");
  await page
    .locator("[data-live]", { hasText: "Operations: 1 new" })
    .waitFor({ state: "attached" });

  expect(await page.evaluate("document.activeElement.textContent")).toBe(focused);
  expect(await page.evaluate("document.activeElement.dataset.row")).toBe("1");
});

test("a stream that ends is opened again, with pauses that grow; meanwhile the page says so", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/operations?range=all");
  using served = new ServedRequests();
  const { page } = visit;
  await page.reload();
  await expect.poll(() => served.countOpen("/events")).toBe(1);
  const startedAt = performance.now();
  // The server is there, and breaks each stream at once.
  const breaking = setInterval(() => served.cut("/events"), 5);

  await page.getByText("Changes have not arrived since").waitFor();
  await expectAccessible(page);
  await expect.poll(() => triesAfter(served, startedAt).length).toBeGreaterThan(3);
  clearInterval(breaking);
  await page.getByText("Changes have not arrived since").waitFor({ state: "detached" });
  const rows = await countRows(page);
  await addConnection("after-the-break");
  await expect.poll(() => countRows(page)).toBeGreaterThan(rows);
  const [first = 0, second = 0, third = 0, fourth = 0] = triesAfter(served, startedAt);

  // Each pause is between half of its longest and that: 1 s, 2 s, 4 s.
  expect(second - first).toBeGreaterThan(450);
  expect(fourth - third).toBeGreaterThan(second - first);
});

function triesAfter(served: ServedRequests, startedAt: number): number[] {
  return served.timesOf("/events").filter((at) => at > startedAt);
}

test("without shared workers the tab that has a lock holds the stream, and the next one after it", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/operations?range=all", ofItsOwn);
  using served = new ServedRequests();
  const { page } = visit;
  const browser = page.context();
  await browser.addInitScript("delete window.SharedWorker");
  const pages = [await browser.newPage(), await browser.newPage(), await browser.newPage()];
  await page.close();
  await expect.poll(() => served.countOpen("/events")).toBe(0);
  served.requests.length = 0;
  for (const tab of pages) {
    await tab.goto(`${dashboardOf(people)}/dev/operations?range=all`);
    await tab.locator("a[data-row='0']").waitFor();
    // The first tab has the lock before the next one asks for it.
    await expect.poll(() => served.countOpen("/events")).toBe(1);
  }

  await pages[0]?.close();
  await expect.poll(() => served.timesOf("/events").length).toBe(2);
  await expect.poll(() => served.countOpen("/events")).toBe(1);
  const others = pages.slice(1);
  const before = await Promise.all(others.map(countRows));
  await addConnection("heard-from-the-next");

  for (const [index, tab] of others.entries()) {
    await expect.poll(() => countRows(tab)).toBeGreaterThan(before[index] ?? 0);
  }
});

test("a server of the version before, which does not know a topic yet, is heard without that topic", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/operations?range=all", ofItsOwn);
  using served = new ServedRequests();
  const browser = visit.page.context();
  await browser.addInitScript("delete window.SharedWorker");
  const page = await browser.newPage();
  await visit.page.close();
  await expect.poll(() => served.countOpen("/events")).toBe(0);
  served.requests.length = 0;
  const answers: number[] = [];
  page.on("response", (answer) => {
    if (answer.url().includes("/events?")) answers.push(answer.status());
  });
  // To the page's server, the topic is as unknown as a new one to an old server.
  await page.route("**/events?topics=*", async (route) => {
    await route.continue({ url: route.request().url().replace("setup", "not-yet-known") });
  });

  await page.goto(`${dashboardOf(people)}/dev/operations?range=all`);
  await page.locator("a[data-row='0']").waitFor();
  await expect.poll(() => served.countOpen("/events")).toBe(1);
  const rows = await countRows(page);
  await addConnection("heard-from-an-old-server");

  await expect.poll(() => countRows(page)).toBeGreaterThan(rows);
  expect(answers).toEqual([400, 200]);
  expect(await page.getByText("Changes have not arrived since").count()).toBe(0);
});
