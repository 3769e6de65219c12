import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { closeBrowser } from "../connect-ui/browser.ts";
import { type Browser, type PeopleUnderTest, startPeople } from "../people/people-under-test.ts";
import { addConnections } from "./fill-environment.ts";
import {
  dashboardOf,
  expectAccessible,
  isTooWide,
  openAsOwner,
  openAsRole,
} from "./open-dashboard.ts";

let people: PeopleUnderTest;
let owner: Browser;
beforeAll(async () => {
  people = await startPeople();
  owner = await people.owner();
  await addConnections(owner, "dev", ["alpha", "beta"]);
});
afterAll(async () => {
  await closeBrowser();
  await people[Symbol.asyncDispose]();
});

async function headsOf(page: Page): Promise<readonly string[]> {
  return await page.locator("thead th[data-column]").allTextContents();
}

async function widthOf(page: Page, column: string): Promise<number> {
  const box = await page.locator(`th[data-column="${column}"]`).boundingBox();
  return Math.round(box?.width ?? 0);
}

async function kept() {
  return (await owner.call("GET", "/me")).body.data.preferences;
}

test("columns are ordered, sized and hidden by keyboard, for all browsers of the person", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/connections");
  const { page } = visit;
  await page.locator("a[data-row='1']").waitFor();
  const [first, second = "", third = "", ...others] = await headsOf(page);
  const before = await widthOf(page, "state");

  await page.getByRole("button", { name: "Columns" }).focus();
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "Columns" });
  await dialog.getByRole("button", { name: `Move ${second} to the right` }).focus();
  await expectAccessible(page);
  await page.keyboard.press("Enter");
  await expect.poll(async () => await headsOf(page)).toEqual([first, third, second, ...others]);
  await dialog.getByRole("button", { name: `Make ${second} wider` }).focus();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Enter");
  await expect.poll(async () => await widthOf(page, "state")).toBe(before + 48);
  await dialog.getByRole("checkbox", { name: third }).focus();
  await page.keyboard.press("Space");
  await dialog.getByRole("checkbox", { name: "Compact rows" }).focus();
  await page.keyboard.press("Space");
  await expect.poll(async () => await headsOf(page)).toEqual([first, second, ...others]);
  await expect.poll(async () => (await kept())?.rows).toBe("compact");

  expect(await kept()).toMatchObject({
    rows: "compact",
    tables: { connections: { widths: { state: before + 48 } } },
  });
  await using elsewhere = await openAsOwner(context, people, "/dev/connections");
  const { page: other } = elsewhere;
  await other.locator("a[data-row='1']").waitFor();
  await expect.poll(async () => await headsOf(other)).toEqual([first, second, ...others]);
  expect(await widthOf(other, "state")).toBe(before + 48);
  expect((await other.locator("tbody tr").first().boundingBox())?.height).toBe(28);
  await expectAccessible(other);
  await other.setViewportSize({ width: 360, height: 780 });
  await other.getByRole("button", { name: "Columns" }).click();
  await other.getByRole("button", { name: "As they were at first" }).click();
  await expect.poll(async () => (await headsOf(other)).length).toBe(others.length + 3);
  expect(await isTooWide(other)).toBe(false);
});

test("columns are dragged to another place, and wider at their edge", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/integrations");
  const { page } = visit;
  await page.locator("a[data-row='0']").waitFor();
  const [first, second = "", third = "", ...others] = await headsOf(page);
  const columns = page.locator("thead th[data-column]");

  await columns.nth(2).dragTo(columns.nth(1));
  await expect.poll(async () => await headsOf(page)).toEqual([first, third, second, ...others]);
  await columns.nth(1).dragTo(columns.nth(0));
  const name = String(await columns.nth(1).getAttribute("data-column"));
  const width = await widthOf(page, name);
  const box = await columns.nth(1).boundingBox();
  if (box === null) throw new Error("the column has no place");
  await page.mouse.move(box.x + box.width - 3, box.y + 10);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width + 57, box.y + 10, { steps: 4 });
  await page.mouse.up();
  await expect.poll(async () => await widthOf(page, name)).toBe(width + 60);
  await page.reload();
  await page.locator("a[data-row='0']").waitFor();

  expect(await headsOf(page)).toEqual([first, third, second, ...others]);
  expect(await widthOf(page, name)).toBe(width + 60);
  await columns.nth(1).locator(".edge").dblclick();
  await expect.poll(async () => await widthOf(page, name)).toBe(width);
});

test("what is no preference is refused, and what a browser has stored before is kept", async (context) => {
  const put = async (body: object) => (await owner.call("PUT", "/me/preferences", { body })).status;
  const widths = { state: 10 };

  expect(await put({ tables: {} })).toBe(400);
  expect(await put({ tables: { a: { widths } }, rows: "normal" })).toBe(400);
  expect(await put({ tables: {}, rows: "normal" })).toBe(200);
  // Of a new person the server keeps nothing.
  await using visit = await openAsRole(context, people, "developer", "/dev/functions");
  const { page } = visit;
  await page.getByRole("button", { name: "Columns" }).waitFor();
  const count = (await headsOf(page)).length;
  await page.evaluate(
    `localStorage.setItem("jackfield-preferences", '{"hiddenColumns":{"functions":["type"]},"theme":"dark"}')`,
  );
  await page.goto(`${dashboardOf(people)}/dev/functions`);
  await page.getByRole("button", { name: "Columns" }).waitFor();

  await expect.poll(async () => (await headsOf(page)).length).toBe(count - 1);
});
