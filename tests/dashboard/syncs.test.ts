import { afterAll, beforeAll, expect, test } from "vitest";
import { closeBrowser } from "../connect-ui/browser.ts";
import { type PeopleUnderTest, startPeople } from "../people/people-under-test.ts";
import { deployThings } from "./deployed-sync.ts";
import { addConnections } from "./fill-environment.ts";
import { expectAccessible, openAsOwner } from "./open-dashboard.ts";

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
  await panel.getByRole("button", { name: "Start again" }).click();
  await panel.getByRole("button", { name: "Pause" }).waitFor();
  await panel.getByText("+2 ~0 −0").waitFor();
  await panel.getByRole("button", { name: "Run now" }).click();
  await panel.getByText("+0 ~0 −0").waitFor();
  await panel.getByRole("button", { name: "Pause" }).click();

  await panel.getByText("paused").waitFor();
});

test("an environment without syncs says what one does", async (context) => {
  await using visit = await openAsOwner(context, people, "/prod/syncs");

  await visit.page.getByText("No sync runs yet").waitFor();
  await expectAccessible(visit.page);
});

test("filters that nothing matches can be taken away", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/syncs?state=disabled");
  const { page } = visit;

  await page.getByText("Nothing matches these filters").waitFor();
  await page.getByRole("button", { name: "Remove all filters" }).click();

  await page.waitForURL("**/dev/syncs");
});
