import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { closeBrowser } from "../../connect-ui/browser.ts";
import { type Browser, type PeopleUnderTest, startPeople } from "../../people/people-under-test.ts";
import { deployThings, runThings } from "../deployed-sync.ts";
import { addConnections, waitFor } from "../fill-environment.ts";
import { dashboardOf, expectAccessible, isTooWide, openAsOwner } from "../open-dashboard.ts";

const environment = "dev";
const address = "/dev/records/open/alpha/Thing";

let people: PeopleUnderTest;
let owner: Browser;
/** A whole second between the two runs. */
let between: Date;

beforeAll(async () => {
  people = await startPeople();
  owner = await people.owner();
  await addConnections(owner, environment, ["alpha"]);
  await deployThings(owner, environment, {
    records: [
      { id: "1", name: "Ada" },
      { id: "2", name: "Grace" },
    ],
  });
  await owner.call("PUT", "/records/history/Thing", { environment, body: { days: 30 } });
  await runThings(owner, environment, "alpha");
  between = new Date(Math.ceil(Date.now() / 1000) * 1000 + 1000);
  await sleep(between.getTime() + 1000 - Date.now());
  await deployThings(owner, environment, {
    records: [{ id: "1", name: "Ada <img src=x>" }],
    deleted: [{ id: "2" }],
  });
  await runThings(owner, environment, "alpha");
  const headers = { "connection-id": "alpha", "provider-config-key": "open" };
  await waitFor(async () => {
    const path = "/records?model=Thing&filter=deleted";
    return (await owner.call("GET", path, { environment, headers })).body.records.length === 1;
  });
}, 120_000);
afterAll(async () => {
  await closeBrowser();
  await people[Symbol.asyncDispose]();
});

/** What the field takes: the reader's clock, to the second. */
function localTime(at: Date): string {
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

test("records are shown as they were at a moment that is chosen, and one with its changes", async (context) => {
  await using visit = await openAsOwner(context, people, address);
  const { page } = visit;

  await page.getByRole("cell", { name: "Ada <img src=x>" }).waitFor();
  await page.getByRole("button", { name: "As they were at" }).click();
  await page.locator("input[type=datetime-local]").fill(localTime(between));
  await expectAccessible(page);
  await page.getByRole("button", { name: "Show", exact: true }).click();
  await page.getByText("These are the records as they were at").waitFor();
  await page.getByRole("cell", { name: "Ada", exact: true }).waitFor();
  await page.getByRole("cell", { name: "Grace" }).waitFor();
  const past = await page.locator(".struck").count();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Show them as they are now" }).click();
  await page.getByRole("cell", { name: "Ada <img src=x>" }).waitFor();
  await page.getByRole("cell", { name: "1", exact: true }).getByRole("link").click();
  const changes = page.getByRole("complementary").getByRole("region", { name: "Changes" });
  await changes.getByText("The history begins at").waitFor();
  await changes.getByText("updated").click();
  await changes.getByText('"name": "Ada <img src=x>"').waitFor();
  await expectAccessible(page);
  await page.setViewportSize({ width: 360, height: 780 });

  expect(past).toBe(0);
  expect(await changes.getByRole("listitem").count()).toBe(2);
  expect(await changes.getByText('"name": "Ada"').count()).toBeGreaterThan(0);
  expect(await isTooWide(page)).toBe(false);
  expect(await page.locator("img[src=x]").count()).toBe(0);
});

test("a moment that cannot be read is refused with the reason", async (context) => {
  const longAgo = "2020-01-01T00:00:00.000Z";
  await using visit = await openAsOwner(context, people, `${address}?asOf=${longAgo}`);
  const { page } = visit;

  await page.getByRole("alert").getByText("where the history of Thing begins").waitFor();
  await expectAccessible(page);
  await owner.call("DELETE", "/records/history/Thing", { environment });
  await page.goto(`${dashboardOf(people)}${address}?asOf=${between.toISOString()}`);
  await page.getByRole("alert").getByText("the history of Thing, which is not kept").waitFor();
  await page.goto(`${dashboardOf(people)}${address}?open=1`);
  await page.getByText("Earlier versions of Thing are not kept.").waitFor();

  await expectAccessible(page);
});
