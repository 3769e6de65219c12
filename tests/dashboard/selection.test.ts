import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { closeBrowser } from "../connect-ui/browser.ts";
import { type Browser, type PeopleUnderTest, startPeople } from "../people/people-under-test.ts";
import { deployThings } from "./deployed-sync.ts";
import { addConnections, waitFor } from "./fill-environment.ts";
import { expectAccessible, isTooWide, openAsOwner, openAsRole } from "./open-dashboard.ts";

vi.setConfig({ testTimeout: 90_000 });

let people: PeopleUnderTest;
let owner: Browser;
beforeAll(async () => {
  people = await startPeople();
  owner = await people.owner();
  const ids = Array.from({ length: 7 }, (_, index) => `shop-${index}`);
  await addConnections(owner, "dev", ids);
  await addConnections(owner, "prod", ["live-1", "live-2"]);
});
afterAll(async () => {
  await closeBrowser();
  await people[Symbol.asyncDispose]();
});

async function grantClipboard(page: Page): Promise<void> {
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
}

async function idsOf(environment: string): Promise<string[]> {
  const { body } = await owner.call("GET", "/connections", { environment });
  return body.connections.map((each: { connection_id: string }) => each.connection_id).toSorted();
}

test("connections are chosen by pointer, range and key, and tagged as one job", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/connections");
  const { page } = visit;
  const boxes = page.getByRole("checkbox", { name: "Select this row" });
  const bar = page.getByRole("region", { name: "Selection" });

  await page.getByRole("cell", { name: "shop-0", exact: true }).waitFor();
  await expectAccessible(page);
  await boxes.nth(1).click();
  await boxes.nth(3).click({ modifiers: ["Shift"] });
  await bar.getByText("3 selected").waitFor();
  await page.locator("a[data-row='5']").focus();
  await page.keyboard.press("x");
  await bar.getByText("4 selected").waitFor();
  await boxes.nth(2).click();
  await bar.getByText("3 selected").waitFor();
  await expectAccessible(page);
  await grantClipboard(page);
  const copied = async (label: string) => {
    await bar.getByRole("button", { name: label }).focus();
    await page.keyboard.press("Enter");
    await bar.getByText("Copied").waitFor();
    await bar.getByRole("button", { name: label }).waitFor();
    return String(await page.evaluate("navigator.clipboard.readText()"));
  };
  const [head = "", ...lines] = (await copied("Copy as text")).split("\n");
  const objects = JSON.parse(await copied("Copy as JSON"));
  await bar.getByRole("button", { name: "Tag …" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Tag", { exact: true }).fill("plan");
  await dialog.getByLabel("Value").fill("gold");
  await dialog.getByText("Number affected: 3.").waitFor();
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Tag 3 connections" }).click();
  await dialog.getByText("Done: 3 of 3.").waitFor();
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Close" }).click();

  const query = "/connections?tags[plan]=gold";
  const tagged = await owner.call("GET", query, { environment: "dev" });
  expect(tagged.body.connections).toHaveLength(3);
  expect(head.split("\t").slice(0, 4)).toEqual(["Connection", "State", "End user", "Integration"]);
  expect(lines.map((line) => line.split("\t").slice(0, 2))).toEqual([
    ["shop-5", "works"],
    ["shop-3", "works"],
    ["shop-1", "works"],
  ]);
  expect(objects).toMatchObject([
    { connection_id: "shop-5", provider_config_key: "open" },
    { connection_id: "shop-3" },
    { connection_id: "shop-1" },
  ]);
});

test("all that match a filter are deleted, in production once its name is typed", async (context) => {
  await using visit = await openAsOwner(context, people, "/prod/connections?q=live");
  const { page } = visit;
  const bar = page.getByRole("region", { name: "Selection" });

  await page.getByRole("checkbox", { name: "Select this row" }).first().click();
  await bar.getByRole("button", { name: "Select all 2 that match" }).click();
  await bar.getByText("All 2 that match are selected").waitFor();
  await bar.getByRole("button", { name: "Delete …" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("Number affected: 2.").waitFor();
  const confirm = dialog.getByRole("button", { name: "Delete 2 connections in prod" });
  expect(await confirm.isDisabled()).toBe(true);
  await dialog.getByLabel("Type prod to confirm").fill("prod");
  await confirm.click();
  await dialog.getByText("Done: 2 of 2.").waitFor();
  await dialog.getByRole("button", { name: "Close" }).click();
  await page.getByText("Nothing matches these filters").waitFor();

  expect(await idsOf("prod")).toEqual([]);
  expect(await idsOf("dev")).toHaveLength(7);
});

test("another filter drops the selection, and who may not act cannot", async (context) => {
  await using visit = await openAsRole(context, people, "read-only", "/dev/connections");
  const { page } = visit;
  const bar = page.getByRole("region", { name: "Selection" });

  await page.getByRole("checkbox", { name: "Select this row" }).first().click();
  await bar.getByText("1 selected").waitFor();
  expect(await bar.getByRole("button", { name: "Delete …" }).isDisabled()).toBe(true);
  await page.setViewportSize({ width: 360, height: 780 });
  expect(await isTooWide(page)).toBe(false);
  await page.getByRole("searchbox").fill("shop");
  await page.keyboard.press("Enter");
  await page.waitForURL(/q=shop/);
  await page.getByRole("cell", { name: "shop-0", exact: true }).waitFor();

  await bar.waitFor({ state: "detached" });
});

test("syncs are started as all that match, and paused as chosen ones, each with a count before", async (context) => {
  await addConnections(owner, "prod", ["sync-1", "sync-2", "sync-3"]);
  await deployThings(owner, "prod");
  const statesOf = async () =>
    (await owner.call("GET", "/syncs", { environment: "prod" })).body.data
      .map(({ state }: { state: string }) => (state === "paused" ? state : "started"))
      .toSorted();
  await waitFor(async () => (await statesOf()).length === 3);
  await using visit = await openAsOwner(context, people, "/prod/syncs?state=paused");
  const { page } = visit;
  const boxes = page.getByRole("checkbox", { name: "Select this row" });
  const bar = page.getByRole("region", { name: "Selection" });
  const dialog = page.getByRole("dialog");

  await boxes.first().click();
  await bar.getByRole("button", { name: "Select all 3 that match" }).click();
  await bar.getByRole("button", { name: "Resume …" }).click();
  await dialog.getByText("Number affected: 3.").waitFor();
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Resume 3 syncs in prod" }).click();
  await dialog.getByText("Done: 3 of 3.").waitFor();
  await dialog.getByRole("button", { name: "Close" }).click();
  const started = await statesOf();
  await page.goto(page.url().replace("?state=paused", ""));
  await boxes.nth(0).click();
  await boxes.nth(1).click();
  await bar.getByRole("button", { name: "Pause …" }).click();
  await dialog.getByText("Number affected: 2.").waitFor();
  await dialog.getByRole("button", { name: "Pause 2 syncs in prod" }).click();
  await dialog.getByText("Done: 2 of 2.").waitFor();

  expect(started).toEqual(["started", "started", "started"]);
  expect(await statesOf()).toEqual(["paused", "paused", "started"]);
});

test("chosen webhooks are handled again one by one", async (context) => {
  const { body: me } = await owner.call("GET", "/me");
  const { id } = me.data.environments.find(({ name }: { name: string }) => name === "dev");
  for (const place of [1, 2, 3]) {
    await fetch(`${people.url}/webhook/${id}/open`, { method: "POST", body: `{"place":${place}}` });
  }
  const inbox = async () =>
    (await owner.call("GET", "/webhooks/inbox", { environment: "dev" })).body.data;
  const handledAt = async (): Promise<(string | null)[]> =>
    (await inbox()).map((row: { handled_at: string | null }) => row.handled_at);
  await waitFor(async () => (await handledAt()).filter((at) => at !== null).length === 3);
  const before = await handledAt();
  await using visit = await openAsOwner(context, people, "/dev/webhooks/in");
  const { page } = visit;
  const boxes = page.getByRole("checkbox", { name: "Select this row" });

  await boxes.nth(0).click();
  await boxes.nth(2).click();
  const bar = page.getByRole("region", { name: "Selection" });
  await bar.getByRole("button", { name: "Handle again" }).click();
  await bar.getByText("2 of 2").waitFor();

  const changed = async () =>
    (await handledAt()).map((at, place) => at !== null && at !== before[place]);
  await expect.poll(changed).toEqual([true, false, true]);
});

test("a list that is read in part says how many match in all before an action", async (context) => {
  const ids = Array.from({ length: 130 }, (_, index) => `many-${index}`);
  await addConnections(owner, "prod", ids);
  await using visit = await openAsOwner(context, people, "/prod/connections?q=many");
  const { page } = visit;
  const bar = page.getByRole("region", { name: "Selection" });

  await page.getByRole("checkbox", { name: "Select this row" }).first().click();
  await bar.getByRole("button", { name: "Select all that match" }).click();
  await bar.getByText("All 130 that match are selected").waitFor();
  await page.goto(page.url().replace("q=many", "q=nobody"));
  await page.getByText(/^0 of 13\d\.$/).waitFor();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Remove Search: nobody" }).focus();
  await page.keyboard.press("Enter");

  await page.getByRole("cell", { name: "many-129", exact: true }).waitFor();
  expect(new URL(page.url()).search).toBe("");
});
