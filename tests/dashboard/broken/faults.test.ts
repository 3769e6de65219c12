import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { closeBrowser } from "../../connect-ui/browser.ts";
import { OWNER, type PeopleUnderTest, startPeople } from "../../people/people-under-test.ts";
import { addConnections } from "../fill-environment.ts";
import { dashboardOf, expectAccessible, openAsOwner, openAsRole } from "../open-dashboard.ts";

// What an error says besides its words: the request, when the next try is, and who can help.

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let people: PeopleUnderTest;
beforeAll(async () => {
  people = await startPeople({ SVC_LOG_REQUESTS: "true" });
  await addConnections(await people.owner(), "dev", ["ada"]);
});
afterAll(async () => {
  await closeBrowser();
  await people[Symbol.asyncDispose]();
});

/** The server answers another call, which it refuses, than the one that the page makes. */
async function swap(page: Page, called: string, other: string): Promise<void> {
  await page.route(`**${called}?**`, async (route) => {
    await route.continue({ url: route.request().url().replace(called, other) });
  });
}

test("an error names its request as the server's log has it, and copies that", async (context) => {
  const permissions = ["clipboard-read", "clipboard-write"];
  await using visit = await openAsOwner(context, people, "/dev/operations", { permissions });
  const { page } = visit;
  await swap(page, "/logs/operations", "/no-such-call");

  await page.goto(`${dashboardOf(people)}/dev/operations?range=all`);
  const alert = page.getByRole("alert");
  await alert.getByRole("button", { name: "Copy request id" }).click();
  const id = String(await page.evaluate("navigator.clipboard.readText()"));

  expect(id).toMatch(/^[0-9a-f-]{36}$/);
  await alert.getByText(id).waitFor();
  await expectAccessible(page);
});

test("who lacks a right learns that an owner or admin can give it; an admin, which owners", async (context) => {
  await using visit = await openAsRole(context, people, "support", "/dev/operations");
  const { page } = visit;
  await swap(page, "/logs/operations", "/environment-variables");
  await page.goto(`${dashboardOf(people)}/dev/operations?range=all`);
  const alert = page.getByRole("alert");
  await alert.getByText("An owner or admin can give you a role with it.").waitFor();
  await expectAccessible(page);
  await using other = await openAsRole(context, people, "admin", "/sso");
  const own = other.page.getByRole("alert");
  await own.getByText(`${OWNER.name} can give you a role with it.`).waitFor();

  await expectAccessible(other.page);
});

test("an answer that names a time to wait is counted down, and then asked for again", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/problems");
  const { page } = visit;
  await page.getByRole("heading", { level: 1 }).waitFor();
  let asked = 0;
  await page.route("**/connections?**", async (route) => {
    asked += 1;
    const error = { code: "overloaded", message: "Too much at once." };
    await route.fulfill({
      status: 503,
      headers: { "retry-after": "4" },
      json: { error },
    });
  });

  await page.getByRole("link", { name: "Connections" }).click();
  const alert = page.getByRole("alert");
  await alert.getByText(/The page tries again in [34] s\./).waitFor();
  await alert.getByText("The page tries again in 1 s.").waitFor();
  const before = asked;
  await page.unroute("**/connections?**");

  await page.getByRole("link", { name: "ada" }).waitFor();
  expect(before).toBeGreaterThan(0);
  await alert.waitFor({ state: "detached" });
});

test("a computer whose clock is not the server's is named once, with the difference", async (context) => {
  await using visit = await openAsOwner(context, people, "/sign-in");
  const { page } = visit;
  await page.clock.install({ time: Date.now() + 120_000 });

  await page.goto(`${dashboardOf(people)}/dev/connections`);
  await page
    .getByText(/The clock of this computer is (?:1 min 5\d s|2 min) .*ahead of the server's/)
    .waitFor();
  await expectAccessible(page);
  const notice = page.getByText("The clock of this computer", { exact: false });
  await page
    .getByRole("status")
    .filter({ has: notice })
    .getByRole("button", { name: "Close" })
    .click();
  await page.getByRole("link", { name: "Integrations" }).click();
  await page.getByRole("heading", { level: 1, name: "Integrations" }).waitFor();

  expect(await notice.count()).toBe(0);
});
