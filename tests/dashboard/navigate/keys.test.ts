import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { closeBrowser } from "../../connect-ui/browser.ts";
import { type Browser, type PeopleUnderTest, startPeople } from "../../people/people-under-test.ts";
import { addConnections } from "../fill-environment.ts";
import { dashboardOf, expectAccessible, openAsOwner } from "../open-dashboard.ts";

// Single keys: what is copied, and by which clock times are shown.

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let people: PeopleUnderTest;
let owner: Browser;
beforeAll(async () => {
  people = await startPeople();
  owner = await people.owner();
  await addConnections(owner, "dev", ["ada", "bob"]);
});
afterAll(async () => {
  await closeBrowser();
  await people[Symbol.asyncDispose]();
});

const mayCopy = { permissions: ["clipboard-read", "clipboard-write"] };
const clipboard = "navigator.clipboard.readText()";

test("c copies the id of the row that has the focus, of the open panel, and of the page; y the link", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/connections", mayCopy);
  const { page } = visit;

  await page.getByRole("cell", { name: "ada" }).getByRole("link").first().focus();
  await page.keyboard.press("c");
  await page.getByText("Copied: ada").waitFor();
  expect(await page.evaluate(clipboard)).toBe("ada");

  await page.goto(`${dashboardOf(people)}/dev/connections/open/bob/syncs`);
  await page.getByRole("heading", { level: 1, name: "bob" }).waitFor();
  await page.keyboard.press("c");
  await page.getByText("Copied: bob").waitFor();
  expect(await page.evaluate(clipboard)).toBe("bob");

  const { body } = await owner.call("GET", "/logs/operations?limit=1", { environment: "dev" });
  const [{ id }] = body.data;
  await page.goto(`${dashboardOf(people)}/dev/operations?open=${id}`);
  await page.getByRole("complementary").waitFor();
  await page.keyboard.press("c");
  await page.getByText(`Copied: ${id}`).waitFor();
  expect(await page.evaluate(clipboard)).toBe(id);
  await page.keyboard.press("y");
  await page.getByText("Link copied").waitFor();
  expect(await page.evaluate(clipboard)).toBe(page.url());

  await page.goto(`${dashboardOf(people)}/dev/keys`);
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.keyboard.press("c");
  await page.getByText("This page has no id to copy").waitFor();
  await expectAccessible(page);
});

test("t shows times in UTC with milliseconds, also those of a range that is entered, and back", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/operations?range=all", {
    timezoneId: "Asia/Tokyo",
  });
  const { page } = visit;
  const first = page.locator("a[data-row='0'] time, tr:has(a[data-row='0']) time").first();
  await first.waitFor();
  const at = String(await first.getAttribute("datetime"));
  const utc = at.slice(11, 23);
  const hour = String((Number(at.slice(11, 13)) + 9) % 24).padStart(2, "0");

  expect(await first.textContent()).toContain(`${hour}${utc.slice(2)}`);
  await page.keyboard.press("t");
  await page.getByText("Times are in UTC").waitFor();
  await expect.poll(async () => await first.textContent()).toContain(`${utc}Z`);
  await page.reload();
  await expect.poll(async () => await first.textContent()).toContain(`${utc}Z`);
  await page.goto(`${dashboardOf(people)}/dev/operations?from=2026-11-29T08:00:00.000Z`);
  await page.getByRole("button", { name: /From 29 Nov(?: 2026)?/ }).click();
  await page.getByRole("option", { name: "Other time …" }).click();
  expect(await page.getByRole("textbox", { name: "From" }).inputValue()).toMatch(
    /^2026-11-29T08:00/,
  );
  await page.getByText("In your time zone, UTC.").first().waitFor();
  await page.getByRole("textbox", { name: "From" }).fill("2026-11-29T07:30:00");
  await page.getByRole("button", { name: "Show", exact: true }).click();
  await page.waitForURL((url) => url.searchParams.get("from") === "2026-11-29T07:30:00.000Z");
  await page.keyboard.press("t");
  await page.getByText("Times are in your time zone, Asia/Tokyo, UTC+9").waitFor();
});
