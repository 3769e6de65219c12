import pg from "pg";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { closeBrowser } from "../connect-ui/browser.ts";
import { type Browser, type PeopleUnderTest, startPeople } from "../people/people-under-test.ts";
import { wakeWork } from "../wake-work.ts";
import { addConnections, deployFunction } from "./fill-environment.ts";
import { dashboardOf, expectAccessible, isTooWide, openAsOwner } from "./open-dashboard.ts";

// Problems are looked for every 30 seconds.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 180_000 });

const failing = `import { createSync } from "jackfield";
import * as z from "zod";
export default createSync({
  description: "Fails",
  version: "1.0.0",
  frequency: "every day",
  models: { Thing: z.object({ id: z.string() }) },
  exec: async () => {
    throw new Error("the provider has lost the list");
  },
});
`;

const patience = { timeout: 90_000, interval: 500 };
const kinds = ["needs_reauthorization", "receiver_failing", "sync_failing"];

let people: PeopleUnderTest;
let owner: Browser;
beforeAll(async () => {
  people = await startPeople();
  owner = await people.owner();
  await addConnections(owner, "dev", ["alpha", "beta"]);
  await deployFunction(owner, "dev", { type: "sync", name: "things", code: failing });
  const webhooks = { primary_url: "http://127.0.0.1:9/hooks?token=1" };
  await owner.call("PATCH", "/environment/webhooks", { environment: "dev", body: webhooks });
  const body = { provider_config_key: "open", connection_id: "alpha", syncs: ["things"] };
  await owner.call("POST", "/sync/start", { environment: "dev", body });
  for (let run = 1; run <= 2; run += 1) {
    await owner.call("POST", "/sync/trigger", { environment: "dev", body });
    await vi.waitFor(
      async () => expect(await countFailures()).toBeGreaterThanOrEqual(run),
      patience,
    );
  }
  await refuseCredentials("beta");
  await vi.waitFor(async () => expect(await listKinds()).toEqual(kinds), patience);
});
afterAll(async () => {
  await closeBrowser();
  await people[Symbol.asyncDispose]();
});

async function countFailures(): Promise<number> {
  const { body } = await owner.call("GET", "/syncs?connection_id=alpha", { environment: "dev" });
  return body.data[0]?.consecutive_failures ?? 0;
}

async function listKinds(): Promise<string[]> {
  await wakeWork(people.database);
  const { body } = await owner.call("GET", "/problems?state=open", { environment: "dev" });
  return body.data.map(({ kind }: { kind: string }) => kind).toSorted();
}

/** As if the provider had refused a refresh: connections of this integration have nothing to refresh. */
async function refuseCredentials(id: string): Promise<void> {
  const client = new pg.Client({ connectionString: people.database.connectionString });
  await client.connect();
  await client.query(
    "update connections set needs_reauthorization_at = now() where connection_id = $1",
    [id],
  );
  await client.end();
}

test("the first screen says what is broken, and how much happened, as a chart and as a table", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev");
  const { page } = visit;

  await page.getByRole("heading", { name: "Problems: 3 open" }).waitFor();
  await page.getByText("1 of 2 authorized").waitFor();
  await page.getByText("No records yet").waitFor();
  await page.getByText(/1 endpoint failing since/).waitFor();
  await page.getByText(/\d+ waiting, the oldest for \d/).waitFor();
  await page.getByRole("img", { name: /^Operations over time, at most [1-9]/ }).waitFor();
  const chart = page.getByRole("region", { name: "Operations over time" });
  await chart
    .getByRole("paragraph")
    .filter({ hasText: /operations? ended, of which [1-9]\d* failed/ })
    .waitFor();
  await chart.locator("svg.recharts-surface").first().waitFor();
  await expectAccessible(page);
  await chart.locator("svg[role=application]").focus();
  await page.keyboard.press("ArrowRight");
  await chart.locator(".recharts-tooltip-label").waitFor();
  await chart.getByRole("button", { name: "Show as a table" }).click();
  await chart.getByRole("columnheader", { name: "failed or timed out" }).waitFor();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Last 24 hours Time" }).click();
  await page.getByRole("option", { name: "Last 7 days" }).click();
  await page.waitForURL("**/dev?range=7d");
  await page.setViewportSize({ width: 360, height: 780 });

  expect(await isTooWide(page)).toBe(false);
});

test("an environment in which nothing has happened says where to begin", async (context) => {
  await using visit = await openAsOwner(context, people, "/prod");
  const { page } = visit;

  await page.getByText("Nothing has happened here yet").waitFor();
  await page.getByText("Nothing is broken.").waitFor();
  await expectAccessible(page);
  await page.getByRole("link", { name: "Open the catalogue" }).click();

  await page.waitForURL("**/prod/catalogue");
});

test("first steps are ticked off one by one, and stay until they are done or hidden", async (context) => {
  await using visit = await openAsOwner(context, people, "/prod");
  const { page } = visit;
  const environment = "prod";
  const steps = page.getByRole("region", { name: "First steps" });
  const done = steps.getByRole("listitem").filter({ hasText: "done" });

  await page.getByRole("link", { name: "Add an integration" }).waitFor();
  const integration = { provider: "unauthenticated", unique_key: "open" };
  await owner.call("POST", "/integrations", { environment, body: integration });
  await page.reload();
  await steps.waitFor();
  expect(await done.allInnerTexts()).toEqual([expect.stringContaining("Add an integration")]);
  await addConnections(owner, environment, ["gamma"]);
  await page.reload();
  await expect.poll(async () => await done.count()).toBe(2);
  await steps.getByRole("link", { name: /Set an address for webhooks/ }).waitFor();
  await expectAccessible(page);
  await page.setViewportSize({ width: 360, height: 780 });
  expect(await isTooWide(page)).toBe(false);
  await steps.getByRole("button", { name: "Hide these steps" }).click();
  await steps.waitFor({ state: "detached" });
  await page.reload();
  await page.getByText("1 of 1 authorized").waitFor();

  expect(await steps.count()).toBe(0);
  await page.goto(`${dashboardOf(people)}/dev`);
  await page.getByText("1 of 2 authorized").waitFor();
  // All of them are done there.
  expect(await steps.count()).toBe(0);
});

test("a sync that fails: why, when it runs next, whom it affects, and the button that runs it", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/problems");
  const { page } = visit;

  await page
    .getByRole("img", { name: /^[1-9]\d* failures? in 24 hours/ })
    .first()
    .waitFor();
  await page.getByRole("link", { name: /The sync things of open keeps failing/ }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: /keeps failing/, level: 1 }).waitFor();
  await page.getByText(/Next run /).waitFor();
  await page.getByText("the provider has lost the list").waitFor();
  await page.getByRole("link", { name: "alpha" }).waitFor();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Run now" }).click();
  await page.getByText("1 started.").waitFor();
  await page.getByRole("link", { name: "Failed operations" }).click();

  await page.waitForURL(/\/dev\/operations\?.*functions=things/);
  await page.locator("a[data-row='0']").waitFor();
});

test("webhooks that are not received: what the receiver answered, and a test event", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/problems?kind=receiver_failing");
  const { page } = visit;

  await page.locator("a[data-row='0']").click();
  await page.getByText(/^none: /).waitFor();
  await page.getByRole("button", { name: "Send a test event" }).click();

  await page.getByText(/No answer: /).waitFor();
  await expectAccessible(page);
});

test("credentials that are refused: who is affected, with a link to reconnect", async (context) => {
  await using visit = await openAsOwner(
    context,
    people,
    "/dev/problems?kind=needs_reauthorization",
  );
  const { page } = visit;

  await page.locator("a[data-row='0']").click();
  await page.getByText("Nothing more is tried").waitFor();
  await page.getByRole("button", { name: "New reconnect link" }).click();

  await page.getByText(/\/connect\/\?session_token=/).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Mark end users as notified" }).click();
  const note = page.getByRole("textbox", { name: "Note" });
  await expect
    .poll(async () => await note.inputValue())
    .toMatch(/^End users notified on .* by Ada Lovelace\.$/);
  await expectAccessible(page);
});

test("a problem is muted, noted, resolved and opened again", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/problems?kind=sync_failing");
  const { page } = visit;

  await page.locator("a[data-row='0']").click();
  await page.getByRole("button", { name: "Mute" }).click();
  await expectAccessible(page);
  await page.getByRole("menuitem", { name: "For a day" }).click();
  await page.getByText(/Muted until/).waitFor();
  await page.getByRole("button", { name: "Unmute" }).click();
  await page.getByRole("textbox", { name: "Note" }).fill("Ada looks after it");
  await page.getByRole("button", { name: "Save the note" }).click();
  await page.getByRole("button", { name: "Save the note", disabled: true }).waitFor();
  await page.getByRole("button", { name: "Mark as resolved" }).click();
  await page.getByRole("button", { name: "Open again" }).click();
  await page.reload();

  await page.getByText("Ada looks after it").waitFor();
  await page.getByRole("button", { name: "Mark as resolved" }).waitFor();
});

test("nothing broken, no match, a problem that is gone", async (context) => {
  await using visit = await openAsOwner(context, people, "/prod/problems");
  const { page } = visit;

  await page.getByText("Nothing is broken", { exact: true }).waitFor();
  await expectAccessible(page);
  await page.goto(`${dashboardOf(people)}/dev/problems?kind=delete_guard`);
  await page.getByRole("button", { name: "Remove all filters" }).click();
  await page.locator("a[data-row='2']").waitFor();
  await page.goto(`${dashboardOf(people)}/dev/problems/00000000-0000-4000-8000-000000000000`);

  await page.getByRole("alert").getByText("not_found").waitFor();
});
