import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { closeBrowser } from "../../connect-ui/browser.ts";
import { type PeopleUnderTest, startPeople } from "../../people/people-under-test.ts";
import { addConnections } from "../fill-environment.ts";
import { dashboardOf, expectAccessible, isTooWide, openAsOwner } from "../open-dashboard.ts";

// What a screen says when something that it reads fails and the rest is there.

vi.setConfig({ testTimeout: 120_000, hookTimeout: 240_000 });

let people: PeopleUnderTest;
beforeAll(async () => {
  people = await startPeople();
  await addConnections(await people.owner(), "dev", ["ada", "bob"]);
});
afterAll(async () => {
  await closeBrowser();
  await people[Symbol.asyncDispose]();
});

const failure = { error: { code: "internal_error", message: "Reading it failed." } };

/** Every request of this path of the API fails. */
async function failAt(page: Page, path: string): Promise<void> {
  await page.route(
    ({ pathname }) => pathname === path,
    async (route) => await route.fulfill({ status: 500, json: failure }),
  );
}

const notice = (page: Page) =>
  page.getByText("A part of this page could not be read: Reading it failed.");

test.for([
  { what: "counts next to a list", at: "/dev/connections", path: "/connections/count" },
  { what: "the choices of a filter", at: "/dev/connections", path: "/integrations" },
  { what: "the counts of the menu", at: "/dev/keys", path: "/problems" },
  { what: "how far the audit trail reaches", at: "/audit", path: "/audit/head" },
  { what: "who uses a figure", at: "/dev/integrations", path: "/connections/count" },
])(
  "$what: what failed and is only missing is said above the screen",
  async ({ at, path }, context) => {
    await using visit = await openAsOwner(context, people, "/profile");
    const { page } = visit;
    await failAt(page, path);
    await page.goto(`${dashboardOf(people)}${at}`);

    await notice(page).waitFor();
    await page.getByRole("table").first().waitFor();
    await expectAccessible(page);
    await page.setViewportSize({ width: 360, height: 780 });
    expect(await isTooWide(page)).toBe(false);
    await page.unrouteAll();
    await page.getByRole("button", { name: "Try now" }).click();

    await notice(page).waitFor({ state: "detached" });
  },
);

test("what a part of the screen shows itself is not said twice", async (context) => {
  await using visit = await openAsOwner(context, people, "/profile");
  const { page } = visit;
  await failAt(page, "/connections");
  await page.goto(`${dashboardOf(people)}/dev/connections`);

  await page.getByRole("alert").getByText("Reading it failed.").waitFor();
  // Longer than a part has to show it.
  await page.waitForTimeout(1000);
  expect(await notice(page).count()).toBe(0);
});
