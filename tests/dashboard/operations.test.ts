import { afterAll, beforeAll, expect, test } from "vitest";
import { closeBrowser } from "../connect-ui/browser.ts";
import { type PeopleUnderTest, startPeople } from "../people/people-under-test.ts";
import { dashboardOf, expectAccessible, isTooWide, openAsOwner } from "./open-dashboard.ts";

let people: PeopleUnderTest;
beforeAll(async () => {
  people = await startPeople();
  const owner = await people.owner();
  for (const key of ["alpha", "beta", "gamma"]) {
    const body = { provider: "unauthenticated", unique_key: key };
    const made = await owner.call("POST", "/integrations", { body, environment: "dev" });
    expect(made.status).toBe(200);
  }
});
afterAll(async () => {
  await closeBrowser();
  await people[Symbol.asyncDispose]();
});

test("operations are listed, narrowed by filters of the address, and opened next to the list", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/operations");
  const { page } = visit;
  const rows = page.getByRole("table", { name: "Operations" }).getByRole("row");

  await page.getByRole("cell", { name: "gamma" }).waitFor();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Integration" }).click();
  await page.getByRole("combobox", { name: "Integration" }).fill("bet");
  await page.getByRole("option", { name: "beta" }).click();
  await page.waitForURL("**/dev/operations?integrations=beta");
  await expect.poll(async () => await rows.count()).toBe(2);
  await rows.nth(1).getByRole("link").click();
  await page.getByRole("complementary", { name: /admin change/ }).waitFor();
  await expectAccessible(page);
  const address = page.url();
  await page.reload();
  await page.getByRole("complementary", { name: /admin change/ }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("complementary").waitFor({ state: "detached" });
  await page.goBack();

  expect(address).toMatch(/integrations=beta&open=[\w-]{36}$/);
  await page.waitForURL(address);
});

test("rows are walked and opened with the keyboard alone", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/operations");
  const { page } = visit;
  await page.getByRole("cell", { name: "gamma" }).waitFor();

  await page.keyboard.press("/");
  await page.keyboard.type("no such text");
  await page.keyboard.press("Enter");
  await page.getByText("Nothing matches these filters").waitFor();
  await page.getByRole("button", { name: "Remove all filters" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("cell", { name: "gamma" }).waitFor();
  await page.locator("a[data-row='0']").focus();
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.getByRole("complementary").waitFor();
  const first = page.url();
  await page.keyboard.press("]");
  await page.waitForURL((url) => url.href !== first);
  await page.keyboard.press("o");

  await page.waitForURL(/\/dev\/operations\/[\w-]{36}$/);
});

test("one operation as a page, with its messages and as code", async (context) => {
  const viewport = { width: 360, height: 780 };
  await using visit = await openAsOwner(context, people, "/dev/operations", { viewport });
  const { page } = visit;

  await page.locator("a[data-row='0']").click();
  await page.getByRole("heading", { name: "admin change" }).waitFor();
  await page.getByRole("heading", { name: "Messages" }).waitFor();
  await expectAccessible(page);
  const isWide = await isTooWide(page);
  await page.getByRole("button", { name: "Show as code" }).click();

  await page.getByText(/curl .*\/logs\/operations\/[\w-]{36}/).waitFor();
  expect(isWide).toBe(false);
});

test("an environment without operations says what will be here", async (context) => {
  await using visit = await openAsOwner(context, people, "/prod/operations");
  const { page } = visit;

  await page.getByText("Nothing in the last 24 hours").waitFor();
  await page.getByRole("button", { name: "Show all time" }).click();
  await page.getByText("No operations yet").waitFor();
  await expectAccessible(page);
});

test("what cannot be loaded says so, and can be tried again", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/operations");
  const { page } = visit;
  await page.getByRole("cell", { name: "gamma" }).waitFor();

  await page.goto(`${dashboardOf(people)}/dev/operations/${crypto.randomUUID()}`);
  await page.getByRole("alert").getByText("not_found").waitFor();
  await page.goto(`${dashboardOf(people)}/dev/operations?states=nonsense`);
  await page.getByText("states=nonsense").waitFor();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Remove this filter" }).click();
  await page.getByRole("cell", { name: "gamma" }).waitFor();
  await page.context().setOffline(true);
  await page.getByRole("button", { name: "Refresh" }).click();

  await page.getByText("The server cannot be reached").first().waitFor();
  await page.getByRole("cell", { name: "gamma" }).waitFor();
});

test("a browser without a network shows a platform on its own machine", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/operations");
  const { page } = visit;
  await page.addInitScript("setInterval(() => dispatchEvent(new Event('offline')), 1)");

  await page.reload();

  await page.getByRole("cell", { name: "gamma" }).waitFor();
});
