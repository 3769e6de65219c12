import { afterAll, beforeAll, expect, test } from "vitest";
import { closeBrowser } from "../connect-ui/browser.ts";
import { type Browser, type PeopleUnderTest, startPeople } from "../people/people-under-test.ts";
import { addConnections } from "./fill-environment.ts";
import { dashboardOf, expectAccessible, isTooWide, openAsOwner } from "./open-dashboard.ts";

let people: PeopleUnderTest;
let owner: Browser;
beforeAll(async () => {
  people = await startPeople();
  owner = await people.owner();
  await addConnections(owner, "dev", ["alpha", "beta"]);
  await addConnections(owner, "prod", ["alpha"]);
});
afterAll(async () => {
  await closeBrowser();
  await people[Symbol.asyncDispose]();
});

test("connections are listed with their state, searched, and opened", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/connections");
  const { page } = visit;

  await page.getByRole("cell", { name: "alpha@example.com" }).waitFor();
  await expectAccessible(page);
  await page.keyboard.press("/");
  await page.keyboard.type("beta");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/dev/connections?q=beta");
  await page.getByRole("cell", { name: "alpha@example.com" }).waitFor({ state: "detached" });
  await page.locator("a[data-row='0']").focus();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "beta@example.com · open" }).waitFor();
  await page.getByText("No syncs run for this connection.").waitFor();
  await expectAccessible(page);

  expect(new URL(page.url()).pathname).toBe("/dashboard/dev/connections/open/beta/overview");
});

test("an address filters by hours, and is refused what the list does not know; the order in force is shown", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/connections?expiring=24h");
  const { page } = visit;

  await page.getByText("Nothing matches these filters").waitFor();
  await page.getByText("Order: Reconnect first").waitFor();
  await page.goto(`${dashboardOf(people)}/dev/connections?expiring=soon`);
  await page.getByText("this means nothing here: expiring=soon").waitFor();
  await expectAccessible(page);
  const shown = await page.locator("a[data-row]").count();
  await page.getByRole("button", { name: "Remove this filter" }).click();
  await page.locator("a[data-row='0']").waitFor();
  await page.getByRole("button", { name: "Order: Newest first" }).click();
  await page.getByRole("option", { name: "Unused longest" }).click();

  await page.getByRole("button", { name: "Order: Unused longest" }).waitFor();
  expect(new URL(page.url()).search).toBe("?sort=last_used_at");
  expect(shown).toBe(0);
});

test("a list has the organization and tags, and is narrowed by tags that the address holds", async (context) => {
  const body = {
    ...{ provider_config_key: "open", connection_id: "tagged", credentials: { type: "NONE" } },
    tags: {
      ...{ end_user_id: "u-3", organization_id: "org-1", organization_display_name: "Quay Ltd" },
      ...{ team: "blue", plan: "a&b=c" },
    },
  };
  await owner.call("POST", "/connections", { environment: "dev", body });
  await using visit = await openAsOwner(context, people, "/dev/connections");
  const { page } = visit;
  const rows = page.locator("a[data-row]");

  await page.getByRole("cell", { name: "Quay Ltd" }).waitFor();
  await page.getByRole("cell", { name: /team=blue/ }).waitFor();
  await page.locator(".logo").first().waitFor();
  await page.getByRole("button", { name: "Tag", exact: true }).press("Enter");
  await page.getByLabel("Name of the tag").waitFor();
  await page.keyboard.type("Team");
  await page.keyboard.press("Tab");
  await page.keyboard.type("blue");
  await expectAccessible(page);
  await page.keyboard.press("Enter");
  await page.waitForURL("**/dev/connections?tag.team=blue");
  await expect.poll(() => rows.count()).toBe(1);
  await page.getByRole("button", { name: "Tag", exact: true }).click();
  await page.getByLabel("Name of the tag").fill("plan");
  await page.getByLabel("Value").fill("a&b=c");
  await page.keyboard.press("Enter");
  await page.waitForURL(/tag\.plan=a%26b%3Dc/);
  await page.reload();
  await expect.poll(() => rows.count()).toBe(1);
  await page.getByRole("button", { name: "Show as code" }).click();
  const shownCode = page.getByText(/tags%5Bteam%5D=blue/).first();
  await shownCode.waitFor();
  await page.keyboard.press("Escape");
  await page.locator("a[data-row='0']").focus();
  await page.keyboard.press("x");
  await page.getByRole("button", { name: "Remove the filter Tag plan=a&b=c" }).click();
  await page.waitForURL("**/dev/connections?tag.team=blue");
  await page.goto(`${dashboardOf(people)}/dev/connections?tag.team=red`);
  await page.getByText("Nothing matches these filters").waitFor();
  await page.getByRole("button", { name: "Remove all filters" }).click();
  await page.waitForURL("**/dev/connections");
  await page.goto(`${dashboardOf(people)}/dev/connections/open/tagged/overview`);
  await page.getByRole("link", { name: "team=blue" }).click();

  await page.waitForURL("**/dev/connections?tag.team=blue");
  await expect.poll(() => rows.count()).toBe(1);
});

test("a job over all that match takes the tags of the address along", async (context) => {
  const path = "/dev/connections?tag.end_user_id=u-alpha";
  await using visit = await openAsOwner(context, people, path);
  const { page } = visit;

  await page.locator("a[data-row='0']").focus();
  await page.keyboard.press("x");
  await page.getByRole("button", { name: /^Select all .*that match$/ }).click();
  await page.getByRole("button", { name: "Refresh …" }).click();

  await page.getByRole("button", { name: "Refresh 1 token" }).waitFor();
});

test("filters that nothing matches can be taken away; an environment without any says so", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/connections?state=backoff");
  const { page } = visit;

  await page.getByText("Nothing matches these filters").waitFor();
  await page.getByRole("button", { name: "Remove all filters" }).click();
  await page.getByRole("cell", { name: "alpha@example.com" }).waitFor();
  await page.goto(`${dashboardOf(people)}/dev/connections/open/nobody/overview`);

  await page.getByText("This connection does not exist").waitFor();
  await expectAccessible(page);
});

test("a link to connect, and one to reconnect, are made as an app would make them", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/connections");
  const { page } = visit;

  await page.getByRole("button", { name: "New connection" }).click();
  await page.getByLabel("Id of the end user in your app").fill("u-7");
  await expectAccessible(page);
  await page.getByRole("button", { name: "Create the link" }).click();
  await page.getByText(/\/connect\/\?session_token=/).waitFor();
  await expectAccessible(page);
  const frame = page.frameLocator("iframe");
  await frame.getByRole("button", { name: "Connect" }).click();
  await page.waitForURL(/\/dev\/connections\/open\/[\w-]{36}\/overview$/);
  await page.getByRole("heading", { name: "u-7 · open" }).waitFor();
  await page.goto(`${dashboardOf(people)}/dev/connections/open/alpha/overview`);
  await page.getByRole("button", { name: "New reconnect link" }).click();
  await page.getByText(/\/connect\/\?session_token=/).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Refresh now" }).click();

  await page.getByText("There is nothing to refresh").waitFor();
});

test("in production a connection is deleted only by typing its id", async (context) => {
  const viewport = { width: 360, height: 780 };
  const path = "/prod/connections/open/alpha/settings";
  await using visit = await openAsOwner(context, people, path, { viewport });
  const { page } = visit;

  await page.getByRole("button", { name: "Delete the connection" }).click();
  const confirm = page.getByRole("button", { name: "Delete the connection in prod" });
  const isDisabled = await confirm.isDisabled();
  await expectAccessible(page);
  await page.getByLabel("Type the connection id to delete it").fill("alpha");
  await confirm.click();

  await page.getByText("No connections yet").waitFor();
  expect(isDisabled).toBe(true);
  expect(await isTooWide(page)).toBe(false);
});

test("names that would be markup or that turn text around stay text", async (context) => {
  const attacks = ["<img src=x onerror=alert(1)>", "a\u202egnp.exe", "javascript:alert(1)"];
  for (const [at, text] of attacks.entries()) {
    const body = {
      provider_config_key: "open",
      connection_id: `attack-${at}`,
      credentials: { type: "NONE" },
      tags: { end_user_id: `u-${at}`, end_user_display_name: text },
      metadata: { text },
    };
    const { status } = await owner.call("POST", "/connections", { environment: "dev", body });
    expect([201, 400]).toContain(status);
  }
  await using visit = await openAsOwner(context, people, "/dev/connections");
  const { page } = visit;

  await page.getByRole("cell", { name: "attack-0" }).waitFor();
  await page.getByRole("cell", { name: "attack-0" }).getByRole("link").click();
  await page.getByRole("heading", { level: 1 }).waitFor();

  expect(await page.locator("img[src=x]").count()).toBe(0);
});
