import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { closeBrowser } from "../../connect-ui/browser.ts";
import { type Browser, type PeopleUnderTest, startPeople } from "../../people/people-under-test.ts";
import { deployThings, runThings } from "../deployed-sync.ts";
import { addConnections } from "../fill-environment.ts";
import {
  dashboardOf,
  expectAccessible,
  isTooWide,
  openAsOwner,
  openAsRole,
} from "../open-dashboard.ts";

let people: PeopleUnderTest;
let owner: Browser;
const records = [
  { id: "1", name: "Ada" },
  { id: "2", name: "Grace" },
  { id: "3", name: "<img src=x onerror=alert(1)>" },
];
beforeAll(async () => {
  people = await startPeople();
  owner = await people.owner();
  await addConnections(owner, "dev", ["alpha"]);
  await deployThings(owner, "dev", { records, deleted: [{ id: "2" }] });
  await runThings(owner, "dev", "alpha");
}, 90_000);
afterAll(async () => {
  await closeBrowser();
  await people[Symbol.asyncDispose]();
});

test("records: from the models to a table of chosen fields, and one with its content", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/records");
  const { page } = visit;

  await page.getByRole("cell", { name: "Thing" }).getByRole("link").click();
  await page.waitForURL("**/dev/records/open/alpha/Thing");
  await page.getByRole("cell", { name: "Ada" }).waitFor();
  await expectAccessible(page);
  await page.locator("a[data-row='0']").focus();
  await page.keyboard.press("End");
  await page.keyboard.press("Enter");
  const panel = page.getByRole("complementary");
  await panel.getByRole("region", { name: "Content" }).getByText('"name"').waitFor();
  await expectAccessible(page);
  await page.keyboard.press("Escape");
  await page.getByRole("searchbox", { name: "Record id" }).fill("2");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/Thing?id=2");
  await page.getByRole("cell", { name: "deleted" }).waitFor();
  await expect.poll(async () => await page.locator("a[data-row]").count()).toBe(1);
  const line = await page.evaluate(
    "getComputedStyle(document.querySelector(\"a[data-row='0'] span\")).textDecorationLine",
  );
  await page.getByRole("button", { name: "Fields" }).click();
  await page.getByRole("menuitemcheckbox", { name: "name" }).click();

  await page.waitForURL(/fields=name/);
  expect(line).toBe("line-through");
  expect(await page.locator("img[src=x]").count()).toBe(0);
});

test("who deletes a connection reads how many syncs and records go with it", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/connections/open/alpha/settings");
  const { page } = visit;

  await page.getByRole("button", { name: "Delete the connection" }).click();
  const goes = page.getByRole("list", { name: "What is deleted with it" });
  await goes.waitFor();
  await expectAccessible(page);

  expect(await goes.getByRole("listitem").allTextContents()).toEqual([
    "1 sync",
    "2 records of 1 model",
  ]);
});

test("all records of a model are one file, a line each", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/records/open/alpha/Thing");
  const { page } = visit;
  await page.getByRole("cell", { name: "Ada" }).waitFor();

  const { name, lines } = await savedLines(page, "Export all as NDJSON");

  expect(name).toBe("Thing.ndjson");
  expect(lines).toHaveLength(records.length + 1);
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({ id: "1", name: "Ada" });
});

test("an export takes what is selected, else what the filter lets through", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/records/open/alpha/Thing");
  const { page } = visit;
  const bar = page.getByRole("region", { name: "Selection" });
  const rows = page.locator("tbody tr");
  await page.getByRole("cell", { name: "Ada" }).waitFor();
  const row = rows.filter({ hasText: "Ada" });

  await row.getByRole("link").focus();
  await page.keyboard.press("x");
  await bar.getByText("1 selected").waitFor();
  await expectAccessible(page);
  const chosen = await savedLines(page, "Export selected as NDJSON");
  await page.getByRole("button", { name: "Clear the selection" }).click();
  await page.goto(`${page.url()}?filter=deleted`);
  await rows.first().waitFor();
  const count = await rows.count();
  const matching = await savedLines(page, "Export all that match as NDJSON");

  expect(chosen.name).toBe("Thing.ndjson");
  expect(chosen.lines.map((line) => JSON.parse(line))).toMatchObject([{ id: "1", name: "Ada" }]);
  const [end, ...others] = matching.lines.map((line) => JSON.parse(line)).toReversed();
  expect(end).toHaveProperty("_svc_end");
  expect(others).toHaveLength(count);
  expect(others.length).toBeLessThan(records.length);
  for (const record of others) expect(record._svc_metadata.last_action).toBe("DELETED");
});

/** Lines of the file that a button saves. */
async function savedLines(page: Page, button: string) {
  const begun = page.waitForEvent("download");
  await page.getByRole("button", { name: button }).click();
  const download = await begun;
  const text = await readFile(String(await download.path()), "utf8");
  return { name: download.suggestedFilename(), lines: text.trim().split("\n") };
}

test("home counts how records changed in the chosen time", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev?range=1h");
  const { page } = visit;

  await page.getByText("3 added, 0 updated, 1 deleted").waitFor();
  await page.getByRole("img", { name: /^Changes to records over time, at most 4/ }).waitFor();
  const deployments = page.getByRole("region", { name: "Latest deployments" });
  await deployments.getByRole("listitem").filter({ hasText: "Ada Lovelace" }).waitFor();
  await expectAccessible(page);
  await deployments.getByRole("link", { name: /^from source: \+1/ }).click();

  await page.waitForURL(/\/dev\/deployments\?open=/);
});

test("metrics: a measure over time, broken down, as totals, and as files", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/metrics");
  const { page } = visit;

  const chart = page.getByRole("region", { name: "Operations", exact: true });
  const summary = chart
    .getByRole("paragraph")
    .filter({ hasText: /^Last 24 hours: \d+\. Highest: / });
  await summary.waitFor();
  await chart.locator("svg.recharts-surface").first().waitFor();
  await expectAccessible(page);
  const begun = page.waitForEvent("download");
  await chart.getByRole("button", { name: "Chart as CSV" }).click();
  const download = await begun;
  const [head = "", ...lines] = (await readFile(String(await download.path()), "utf8"))
    .trim()
    .split("\r\n");
  await page.getByRole("button", { name: "By type Broken down by" }).click();
  await page.getByRole("option", { name: "By function" }).click();
  await page.getByRole("button", { name: "Operations Measure" }).click();
  await page.getByRole("option", { name: "Duration, p95" }).click();
  await page.waitForURL("**/dev/metrics?by=function&of=duration_p95");
  await page.getByRole("region", { name: "Duration, p95" }).getByText("things").first().waitFor();
  await expectAccessible(page);
  await page.setViewportSize({ width: 360, height: 780 });
  const isWide = await isTooWide(page);
  await page.getByRole("region", { name: "Totals" }).getByRole("link", { name: "things" }).click();
  await page.waitForURL(/\/dev\/operations\?.*functions=things/);
  await page.goto(`${dashboardOf(people)}/dev/metrics?integrations=nothing`);

  await page.getByText("No operations ended in this time").first().waitFor();
  expect(download.suggestedFilename()).toBe("dev-operations-24h.csv");
  expect(head.split(",")).toEqual(expect.arrayContaining(["at", "sync"]));
  expect(lines.length).toBeGreaterThanOrEqual(24);
  expect(isWide).toBe(false);
});

test("contents of records are not for every role", async (context) => {
  await using visit = await openAsRole(
    context,
    people,
    "read-only",
    "/dev/records/open/alpha/Thing",
  );
  const { page } = visit;

  await page.getByRole("alert").getByText("environment:records:read").waitFor();
  await expectAccessible(page);
  expect(await page.content()).not.toContain("Ada");
});

test("records: none yet, none that match, none of that name; on a phone", async (context) => {
  const viewport = { width: 360, height: 780 };
  await using visit = await openAsOwner(context, people, "/prod/records", { viewport });
  const { page } = visit;

  await page.getByText("No records yet").waitFor();
  await expectAccessible(page);
  await page.goto(`${dashboardOf(people)}/dev/records/open/alpha/Thing?filter=updated`);
  await page.getByText("Nothing matches these filters").waitFor();
  await page.getByRole("button", { name: "Remove all filters" }).click();
  await page.locator("a[data-row='0']").click();
  await page.getByRole("complementary").waitFor();
  await expectAccessible(page);
  const isWide = await isTooWide(page);
  await page.goto(`${dashboardOf(people)}/dev/records/open/alpha/Nothing`);

  await page.getByRole("alert").getByText("invalid_query_params").waitFor();
  expect(isWide).toBe(false);
});

test("a connection has its syncs, records and credentials in tabs", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/connections/open/alpha/syncs");
  const { page } = visit;

  await page.getByRole("cell", { name: "things" }).waitFor();
  await expectAccessible(page);
  await page.getByRole("link", { name: "Records" }).last().click();
  await page.getByRole("cell", { name: "Thing" }).waitFor();
  await expectAccessible(page);
  await page.getByRole("link", { name: "Credentials" }).click();
  await page.getByText("does not expire").waitFor();
  await page.getByRole("button", { name: "Check now" }).click();
  await page.getByText("Test request.").waitFor();
  await expectAccessible(page);
  await page.getByRole("link", { name: "Syncs" }).last().click();
  await page.getByRole("cell", { name: "things" }).getByRole("link").click();

  await page.waitForURL(/\/dev\/syncs\?.*open=/);
  await page.getByRole("complementary").waitFor();
});

test("deployments: what one changed, and taking it back by the keyboard", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/deployments");
  const { page } = visit;

  await page.locator("a[data-row='0']").focus();
  await expectAccessible(page);
  await page.keyboard.press("Enter");
  const panel = page.getByRole("complementary");
  await panel.getByText("open/things").waitFor();
  await expectAccessible(page);
  await panel.getByRole("button", { name: "Diff" }).press("Enter");
  await page.getByRole("dialog").getByText("batchSave").first().waitFor();
  await expectAccessible(page);
  await page.keyboard.press("Escape");
  await panel.getByRole("button", { name: "Roll back" }).press("Enter");
  await page.getByRole("button", { name: "Roll back the deployment in dev" }).waitFor();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Roll back the deployment in dev" }).press("Enter");
  await panel.getByText("Rolled back").waitFor();
  await page.getByRole("cell", { name: "rollback" }).waitFor();

  const { body } = await owner.call("GET", "/functions", { environment: "dev" });
  expect(body.data).toEqual([]);
});

test("deployments: none yet, and no rollback for a role that does not deploy", async (context) => {
  await using visit = await openAsOwner(context, people, "/prod/deployments");
  await visit.page.getByText("No deployments yet").waitFor();
  await expectAccessible(visit.page);

  await using other = await openAsRole(context, people, "read-only", "/dev/deployments");
  await other.page.locator("a[data-row='0']").press("Enter");
  const panel = other.page.getByRole("complementary");
  await panel.getByText("open/things").waitFor();
  expect(await panel.getByRole("button", { name: "Roll back" }).isDisabled()).toBe(true);
});

test("old records lose their content once they are counted and the model is typed", async (context) => {
  await addConnections(owner, "dev", ["pruned"]);
  await deployThings(owner, "dev", { records });
  await runThings(owner, "dev", "pruned");
  await using visit = await openAsOwner(context, people, "/dev/records/open/pruned/Thing");
  const { page } = visit;
  await page.getByRole("cell", { name: "Ada" }).waitFor();

  await page.getByRole("button", { name: "Prune …" }).click();
  const dialog = page.getByRole("dialog");
  const remove = dialog.getByRole("button", { name: "Remove the content" });
  await dialog.getByText("The content of 0 records would be removed.").waitFor();
  await dialog.getByLabel("Type Thing to confirm").fill("Thing");
  const isHeldForNone = await remove.isDisabled();
  await dialog.getByLabel("Not changed for at least (days)").fill("some");
  await dialog.getByText("Enter a whole number of days").waitFor();
  await dialog.getByLabel("Not changed for at least (days)").fill("0");
  await dialog.getByText("The content of 3 records would be removed.").waitFor();
  await expectAccessible(page);
  await dialog.getByLabel("Type Thing to confirm").fill("thing");
  const isHeld = await remove.isDisabled();
  await dialog.getByLabel("Type Thing to confirm").fill("Thing");
  await remove.focus();
  await page.keyboard.press("Enter");
  await dialog.getByText("Removed the content of 3 records.").waitFor();
  await expectAccessible(page);
  await page.keyboard.press("Escape");
  await page.getByRole("cell", { name: "content removed" }).first().waitFor();

  expect([isHeldForNone, isHeld]).toEqual([true, true]);
  expect(await page.getByRole("cell", { name: "Ada" }).count()).toBe(0);
  const { body } = await owner.call("GET", "/audit?action=pruneRecords");
  expect(body.data).toHaveLength(1);
});
