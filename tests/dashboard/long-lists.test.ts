import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { fillOperations } from "../../scripts/bench/lists/fill-operations.ts";
import { closeBrowser } from "../connect-ui/browser.ts";
import { type PeopleUnderTest, startPeople } from "../people/people-under-test.ts";
import { addConnections } from "./fill-environment.ts";
import { expectAccessible, openAsOwner } from "./open-dashboard.ts";

vi.setConfig({ testTimeout: 120_000 });

const OPERATIONS = 20_000;
const READ = 1000;

let people: PeopleUnderTest;
beforeAll(async () => {
  people = await startPeople();
  const owner = await people.owner();
  const body = { provider: "unauthenticated", unique_key: "bench" };
  await owner.call("POST", "/integrations", { environment: "dev", body });
  await fillOperations(people.database.connectionString, OPERATIONS);
}, 120_000);
afterAll(async () => {
  await closeBrowser();
  await people[Symbol.asyncDispose]();
});

/** Counts from now on how far things move by themselves, as browsers measure it. */
const watchShifts = `
  window.shifts = [];
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) window.shifts.push(...entry.sources.map(({ node }) => (node?.className ?? "") + " " + entry.value));
  }).observe({ type: "layout-shift" });
`;

test("a list of 20,000 holds few rows in the document, and does not move while more arrive", async (context) => {
  const path = "/dev/operations?range=all";
  await using visit = await openAsOwner(context, people, path);
  const { page } = visit;
  const countOf = async (selector: string) => await page.locator(selector).count();
  await page.locator("a[data-row='0']").waitFor();
  await expect.poll(() => countOf("a[data-row='1']")).toBe(1);
  const nodes = await countOf(".table-scroll *");

  await page.locator("a[data-row='0']").focus();
  const lastRow = async () =>
    Number(await page.evaluate("document.activeElement.dataset.row ?? -1"));
  while ((await lastRow()) < READ) {
    const before = await lastRow();
    // Pressed while a page is on its way, it goes to the end as it was.
    await expect
      .poll(async () => {
        await page.keyboard.press("End");
        return await lastRow();
      })
      .toBeGreaterThan(before);
  }
  const deep = { rows: await countOf("a[data-row]"), nodes: await countOf(".table-scroll *") };
  await page.evaluate(watchShifts);
  await addConnections(await people.owner(), "dev", ["new-1", "new-2", "new-3"]);
  await page.getByRole("button", { name: /^\d+ new$/ }).waitFor();
  const shown = await lastRow();

  expect(deep.rows).toBeLessThan(60);
  expect(deep.nodes).toBeLessThan(2 * nodes);
  expect(deep.nodes).toBeLessThanOrEqual(400);
  expect(shown).toBeGreaterThanOrEqual(READ);
  expect(await page.evaluate("window.shifts")).toEqual([]);
});

test("operations are filtered by duration and status; a search says how far it has come, and continues when asked", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/operations?range=all&types=proxy");
  const { page } = visit;
  const progress = page.getByText(/^Searched \S+ of \d+ days?, back to /);
  await page.locator("a[data-row='0']").waitFor();

  await page.getByRole("button", { name: "Took at least" }).click();
  await page.getByRole("menuitemradio", { name: "1 s", exact: true }).click();
  await page.waitForURL(/slow=1000/);
  await page.getByRole("button", { name: "Took at least: 1 s" }).waitFor();
  await page.getByText("Operations are counted by type").waitFor();
  const spans = page.locator("tbody td.number");
  await expect
    .poll(async () => (await spans.allTextContents()).every((text) => / s$/.test(text)))
    .toBe(true);
  await page.getByRole("button", { name: "HTTP status" }).click();
  await page.getByRole("menuitemcheckbox", { name: "4xx" }).click();
  await page.keyboard.press("Escape");
  await page.getByText("Nothing matches these filters").waitFor();
  await page.getByRole("button", { name: "Remove Took at least: 1 s" }).waitFor();
  await page.getByRole("button", { name: "Remove HTTP status: 4xx" }).waitFor();
  await expectAccessible(page);
  const address = new URL(page.url());
  address.search = "?range=all&q=contacts&statuses=418";
  await page.goto(address.href);
  await progress.waitFor();
  await expectAccessible(page);
  const first = await progress.textContent();
  await expect
    .poll(async () => {
      if ((await progress.count()) === 0) return undefined;
      // The button waits while the list is read again by itself.
      await page.getByRole("button", { name: "Continue the search" }).focus();
      await page.keyboard.press("Enter");
      return await progress.textContent();
    })
    .not.toBe(first);
  while ((await progress.count()) > 0) {
    await page
      .getByRole("button", { name: "Continue the search" })
      .click({ timeout: 5000 })
      .catch(() => undefined);
  }

  await page.getByText("Nothing matches these filters").waitFor();
  expect(first).toMatch(/ of (9|10) days/);
});
