import { afterAll, beforeAll, expect, test } from "vitest";
import { closeBrowser } from "../connect-ui/browser.ts";
import { type PeopleUnderTest, startPeople } from "../people/people-under-test.ts";
import { deployThings } from "./deployed-sync.ts";
import { addConnections } from "./fill-environment.ts";
import { expectAccessible, isTooWide, openAsOwner, openAsRole } from "./open-dashboard.ts";

let people: PeopleUnderTest;
beforeAll(async () => {
  people = await startPeople();
  const owner = await people.owner();
  await addConnections(owner, "dev", ["alpha"]);
  await deployThings(owner, "dev");
});
afterAll(async () => {
  await closeBrowser();
  await people[Symbol.asyncDispose]();
});

test("syncs of all connections are listed, and one is run, paused and started", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/syncs");
  const { page } = visit;
  const row = page.locator("a[data-row='0']");

  await expect
    .poll(async () => {
      await page.getByRole("button", { name: "Refresh" }).click();
      return await row.count();
    })
    .toBe(1);
  await row.click();
  const panel = page.getByRole("complementary");
  await panel.getByRole("link", { name: "alpha" }).waitFor();
  await expectAccessible(page);
  await panel.getByRole("button", { name: "Resume" }).click();
  await panel.getByRole("button", { name: "Pause" }).waitFor();
  await panel.getByText("+2 ~0 −0").waitFor();
  await panel.getByRole("button", { name: "Run now" }).click();
  await panel.getByText("+0 ~0 −0").waitFor();
  await panel.getByRole("button", { name: "Pause" }).click();

  await panel.getByText("paused").waitFor();
});

test("the latest runs of each sync, and one of them as a page, by the keyboard", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/syncs");
  const { page } = visit;

  await page.getByRole("button", { name: "List View" }).press("Enter");
  await page.getByRole("option", { name: "Latest runs" }).press("Enter");
  await page.waitForURL("**/dev/syncs?view=runs");
  const squares = page.getByRole("link", { name: /^success, / });
  await expect.poll(async () => await squares.count()).toBeGreaterThanOrEqual(2);
  await expectAccessible(page);
  // Each square is a link of its own, and the rest of the row is one to the sync.
  await squares.last().click();
  await page.waitForURL(/\/runs\//);
  await page.goBack();
  await page.getByText("things", { exact: true }).click();
  await page.waitForURL(/open=/);
  await page.goBack();
  await squares.first().press("Enter");
  await page.waitForURL(/\/dev\/syncs\/[\w-]{36}\/runs\/[\w-]{36}$/);
  const row = page
    .getByRole("region", { name: "Records" })
    .last()
    .getByRole("row", { name: /Thing/ });
  await row.getByRole("cell", { name: "2", exact: true }).first().waitFor();
  await page.getByRole("cell", { name: "saved" }).waitFor();
  await expectAccessible(page);
  await page.setViewportSize({ width: 360, height: 780 });
  const isWide = await isTooWide(page);
  await page.getByRole("button", { name: "Run again from the checkpoint" }).press("Enter");
  await page.getByRole("link", { name: "Open the new run" }).waitFor();
  await page.goto(`${page.url().slice(0, -36)}${crypto.randomUUID()}`);

  await page.getByText("Run not found").waitFor();
  expect(isWide).toBe(false);
});

test("the matrix has a row for each connection and a column for each sync", async (context) => {
  const owner = await people.owner();
  await addConnections(owner, "prod", ["beta", "gamma"]);
  await deployThings(owner, "prod");
  const body = { provider_config_key: "open", connection_id: "beta" };
  await owner.call("POST", "/sync/things/variant/eu", { environment: "prod", body });
  const all = { provider_config_key: "open", syncs: [] };
  await owner.call("POST", "/sync/start", { environment: "prod", body: all });
  const isRun = async () => {
    const query = "/syncs?include=results";
    const { body: list } = await owner.call("GET", query, { environment: "prod" });
    return (
      list.data.length === 3 &&
      list.data.every((sync: { record_count: number }) => sync.record_count === 2)
    );
  };
  await expect.poll(isRun).toBe(true);
  await using visit = await openAsOwner(context, people, "/prod/syncs");
  const { page } = visit;

  await page.getByRole("cell", { name: "+2 ~0 −0" }).first().waitFor();
  await page.getByRole("button", { name: "List View" }).click();
  await page.getByRole("option", { name: "Matrix" }).click();
  await page.getByRole("columnheader", { name: "things::eu" }).waitFor();
  const rows = await page.getByRole("row").count();
  await expectAccessible(page);
  const cell = page.getByRole("link", { name: /^things::eu for beta: scheduled; 1 run/ });
  await cell.click();
  const panel = page.getByRole("complementary");
  await panel.getByRole("heading", { name: "things::eu" }).waitFor();
  await panel.getByText("+2 ~0 −0").waitFor();
  await expectAccessible(page);
  await page.keyboard.press("Escape");
  await page.getByRole("checkbox").first().click();
  await page.getByRole("button", { name: "Pause …" }).click();
  await page.getByRole("button", { name: /^Pause \d sync/ }).waitFor();
  await page.keyboard.press("Escape");
  await page.setViewportSize({ width: 360, height: 780 });

  expect(rows).toBe(3);
  expect(await isTooWide(page)).toBe(false);
});

test("a variant's run is run again as the variant, and leads to the new run", async (context) => {
  const owner = await people.owner();
  const place = { provider_config_key: "open", connection_id: "alpha" };
  const created = await owner.call("POST", "/sync/things/variant/eu", {
    environment: "dev",
    body: place,
  });
  const { id } = created.body;
  const list = async () => {
    const { body } = await owner.call("GET", "/syncs", { environment: "dev" });
    return body.data.find((sync: { variant: string }) => sync.variant === "base").id;
  };
  const base = await list();
  const runsOf = async (sync: string) => {
    const { body } = await owner.call("GET", `/syncs/${sync}/runs`, { environment: "dev" });
    return body.data;
  };
  await expect.poll(async () => (await runsOf(id))[0]?.state).toBe("success");
  const [first] = await runsOf(id);
  const before = (await runsOf(base)).length;
  await using visit = await openAsOwner(context, people, `/dev/syncs/${id}/runs/${first.id}`);
  const { page } = visit;

  await page.getByText("things::eu").waitFor();
  await page.getByText("No checkpoint.").last().waitFor();
  await page.getByRole("button", { name: "Run again from the checkpoint" }).press("Enter");
  await page.getByRole("link", { name: "Open the new run" }).press("Enter");
  await page.waitForURL((url) => !url.href.includes(first.id));
  await page.getByText("things::eu").waitFor();
  await expectAccessible(page);

  expect((await runsOf(id)).length).toBe(2);
  expect((await runsOf(base)).length).toBe(before);
  await page.getByRole("link", { name: "Open its operation" }).click();
  await page.getByRole("link", { name: "Run again" }).click();
  await page.waitForURL(/playground\?.*variant=eu/);
  await page.getByText("open/sync/things::eu").first().waitFor();
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect.poll(async () => (await runsOf(id)).length).toBe(3);
  expect((await runsOf(base)).length).toBe(before);
  await owner.call("DELETE", "/sync/things/variant/eu", { environment: "dev", body: place });
});

test("a sync begins from the start, and runs as often as its frequency says", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/syncs");
  const { page } = visit;

  await page.locator("a[data-row='0']").click();
  const panel = page.getByRole("complementary");
  await panel.getByRole("button", { name: "Frequency" }).click();
  await page.getByRole("textbox", { name: "Frequency" }).fill("every 3 hours");
  await expectAccessible(page);
  await page.getByRole("button", { name: "Save" }).click();
  await panel.getByText("3 hours").waitFor();
  await panel.getByRole("button", { name: "Sync from the start" }).click();
  await page.getByText("Delete its stored records first").click();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Sync from the start in dev" }).click();

  await page.getByRole("dialog").waitFor({ state: "detached" });
  await panel.getByText("+2 ~0 −0").first().waitFor();
});

test("a sync of a disabled function says why it cannot be run, to the keyboard too", async (context) => {
  const owner = await people.owner();
  const setEnabled = async (enabled: boolean) => {
    const path = "/integrations/open/functions/things?type=sync";
    await owner.call("PATCH", path, { environment: "dev", body: { enabled } });
  };
  await setEnabled(false);
  await using visit = await openAsOwner(context, people, "/dev/syncs");
  const { page } = visit;

  await page.locator("a[data-row='0']").click();
  const panel = page.getByRole("complementary");
  await panel.getByRole("button", { name: "Run now" }).focus();
  await panel.getByRole("tooltip").getByText("enable it to run its syncs").waitFor();
  await panel.getByRole("button", { name: "Sync from the start" }).focus();
  await expectAccessible(page);
  await page.keyboard.press("Enter");
  expect(await page.getByRole("dialog").count()).toBe(0);

  await setEnabled(true);
});

test("an environment without syncs says what one does", async (context) => {
  const owner = await people.owner();
  await owner.call("POST", "/environments", { body: { name: "empty" } });
  await using visit = await openAsOwner(context, people, "/empty/syncs?view=matrix");

  await visit.page.getByText("No syncs yet").waitFor();
  await expectAccessible(visit.page);
});

test("filters that nothing matches can be taken away", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/syncs?state=disabled");
  const { page } = visit;

  await page.getByText("Nothing matches these filters").waitFor();
  await page.getByRole("button", { name: "Remove all filters" }).click();

  await page.waitForURL("**/dev/syncs");
});

test("an address that names a row which the list does not have says so, and a role that may not read it whom to ask", async (context) => {
  await using visit = await openAsOwner(context, people, `/dev/syncs?open=${crypto.randomUUID()}`);
  const { page } = visit;
  await page.getByText("This list does not contain it.").waitFor();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Close" }).click();
  await page.waitForURL("**/dev/syncs");

  await using support = await openAsRole(context, people, "support", "/dev/records");
  const alert = support.page.getByRole("alert");

  await alert.getByText("An owner or admin can give you a role with it.").waitFor();
  expect(await alert.getByRole("button").allInnerTexts()).toEqual(["Try again"]);
});
