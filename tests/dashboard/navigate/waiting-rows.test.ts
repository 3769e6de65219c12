import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { closeBrowser, ofItsOwn } from "../../connect-ui/browser.ts";
import { type Browser, type PeopleUnderTest, startPeople } from "../../people/people-under-test.ts";
import { openAsOwner } from "../open-dashboard.ts";
import { ServedRequests } from "../served-requests.ts";

// A list of several pages does not move while it is read: what is new waits, and is counted.

vi.setConfig({ testTimeout: 120_000, hookTimeout: 180_000 });

/** More than a page of a list has. */
const MANY = 150;

let people: PeopleUnderTest;
let owner: Browser;
beforeAll(async () => {
  people = await startPeople();
  owner = await people.owner();
  const body = { provider: "unauthenticated", unique_key: "open" };
  await owner.call("POST", "/integrations", { environment: "dev", body });
  await addConnections("old", MANY);
});
afterAll(async () => {
  await closeBrowser();
  await people[Symbol.asyncDispose]();
});

async function addConnections(prefix: string, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const connection_id = `${prefix}-${index}`;
    const body = { provider_config_key: "open", connection_id, credentials: { type: "NONE" } };
    const { status, text } = await owner.call("POST", "/connections", { environment: "dev", body });
    expect(status, text).toBe(201);
  }
}

/** To where the list reads its second page. */
async function readOn(page: Page): Promise<void> {
  await page.locator("a[data-row='0']").waitFor();
  await expect
    .poll(async () => {
      await page.locator(".table-scroll").evaluate((list) => list.scrollTo(0, 90 * 32));
      return await page.getByText("in total").count();
    })
    .toBe(1);
}

test("rows that wait are counted on the button and marked in the title, until they are shown", async (context) => {
  using served = new ServedRequests();
  await using visit = await openAsOwner(context, people, "/dev/connections");
  const { page } = visit;
  await expect.poll(() => served.countOpen("/events")).toBe(1);
  await readOn(page);
  expect(await page.title()).toBe("Connections · Jackfield");

  await addConnections("new", 2);
  await page.getByRole("button", { name: "2 new" }).waitFor();
  await addConnections("newer", 1);
  await page.getByRole("button", { name: "3 new" }).waitFor();
  expect(await page.title()).toBe("● Connections · Jackfield");
  await page.getByRole("button", { name: "3 new" }).click();

  await page.getByRole("link", { name: "newer-0" }).waitFor();
  await expect.poll(async () => await page.title()).toBe("Connections · Jackfield");
  expect(await page.locator(".table-scroll").evaluate((list) => list.scrollTop)).toBe(0);
});

test("a list that is followed goes to its top by itself; l switches that, and the address has it", async (context) => {
  using served = new ServedRequests();
  await using visit = await openAsOwner(context, people, "/dev/connections");
  const { page } = visit;
  await expect.poll(() => served.countOpen("/events")).toBe(1);
  await readOn(page);

  await page.keyboard.press("l");
  await page.waitForURL("**/dev/connections?live=1");
  expect(await page.getByRole("button", { name: "Live" }).getAttribute("aria-pressed")).toBe(
    "true",
  );
  await addConnections("followed", 1);
  await page.getByRole("link", { name: "followed-0" }).waitFor();
  expect(await page.locator(".table-scroll").evaluate((list) => list.scrollTop)).toBe(0);
  await page.keyboard.press("l");

  await page.waitForURL((url) => !url.searchParams.has("live"));
});

test("a tab that nobody sees has a dot in its title once something on it has changed", async (context) => {
  using served = new ServedRequests();
  await using visit = await openAsOwner(context, people, "/dev/connections", ofItsOwn);
  const { page } = visit;
  await page.locator("a[data-row='0']").waitFor();
  await expect.poll(() => served.countOpen("/events")).toBe(1);
  const look = async (state: "hidden" | "visible") =>
    await page.evaluate(
      `Object.defineProperty(document, "visibilityState", { configurable: true, value: "${state}" });
       document.dispatchEvent(new Event("visibilitychange", { bubbles: true }));`,
    );

  await look("hidden");
  await addConnections("unseen", 1);
  await expect.poll(async () => await page.title()).toBe("● Connections · Jackfield");
  await look("visible");

  await expect.poll(async () => await page.title()).toBe("Connections · Jackfield");
  await page.getByRole("link", { name: "unseen-0" }).waitFor();
});
