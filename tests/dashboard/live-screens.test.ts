import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { administer } from "../../packages/server/src/foundation/testing/administer.ts";
import { closeBrowser } from "../connect-ui/browser.ts";
import { type Browser, type PeopleUnderTest, startPeople } from "../people/people-under-test.ts";
import { wakeWork } from "../wake-work.ts";
import { deployThings, runThings } from "./deployed-sync.ts";
import { addConnections, deployFunction } from "./fill-environment.ts";
import { greet } from "./functions/greet.ts";
import { openAsOwner } from "./open-dashboard.ts";
import { ServedRequests } from "./served-requests.ts";

// What somebody else changes comes to a screen that is open, without a reload.

vi.setConfig({ testTimeout: 120_000, hookTimeout: 180_000 });

const environment = "dev";
const patience = { timeout: 60_000 };

let people: PeopleUnderTest;
let owner: Browser;
let environmentId = "";
beforeAll(async () => {
  people = await startPeople();
  owner = await people.owner();
  const { body: me } = await owner.call("GET", "/me");
  environmentId = me.data.environments.find(
    ({ name }: { name: string }) => name === environment,
  ).id;
  await addConnections(owner, environment, ["alpha", "refused"]);
  await deployThings(owner, environment);
  await runThings(owner, environment, "alpha");
  await call("PATCH", "/environment/webhooks", {
    ...{ primary_url: "http://127.0.0.1:9/hooks", on_sync_completion_always: true, forward: true },
  });
});
afterAll(async () => {
  await closeBrowser();
  await people[Symbol.asyncDispose]();
});

async function call(method: string, path: string, body: object): Promise<void> {
  const { status, text } = await owner.call(method, path, { environment, body });
  expect(status, text).toBeLessThan(300);
}

async function receiveWebhook(): Promise<void> {
  const url = `${people.url}/webhook/${environmentId}/open`;
  await fetch(url, { method: "POST", body: '{"type":"made"}' });
}

async function deployAction(name: string): Promise<void> {
  await deployFunction(owner, environment, { type: "action", name, code: greet("Hello") });
}

/** The connection can no longer be used, which the next look of the server finds. */
async function refuseConnection(id = "refused"): Promise<void> {
  const statement = `update connections set needs_reauthorization_at = now() where connection_id = '${id}'`;
  await administer(people.database.connectionString, statement);
  await wakeWork(people.database);
}

async function countRows(page: Page): Promise<number> {
  return await page.locator("a[data-row]").count();
}

test.for<[screen: string, path: string, change: () => Promise<unknown>]>([
  ["connections", "/dev/connections", async () => await addConnections(owner, environment, ["b"])],
  ["problems", "/dev/problems", async () => await refuseConnection()],
  ["syncs", "/dev/syncs", async () => await addConnections(owner, environment, ["c"])],
  ["webhooks that are sent", "/dev/webhooks/out", receiveWebhook],
  ["webhooks that are received", "/dev/webhooks/in", receiveWebhook],
  ["functions", "/dev/functions", async () => await deployAction("greet")],
  ["deployments", "/dev/deployments", async () => await deployAction("wave")],
  [
    "models of records",
    "/dev/records",
    async () => {
      await addConnections(owner, environment, ["d"]);
      await runThings(owner, environment, "d");
    },
  ],
  [
    "records",
    "/dev/records/open/alpha/Thing",
    async () => {
      const records = [{ id: "1" }, { id: "2" }, { id: "3" }];
      await deployThings(owner, environment, { records });
      await runThings(owner, environment, "alpha");
    },
  ],
  [
    "integrations",
    "/dev/integrations",
    async () =>
      await call("POST", "/integrations", { provider: "unauthenticated", unique_key: "other" }),
  ],
  [
    "keys",
    "/dev/keys",
    async () => await call("POST", "/environment/api-keys", { display_name: "Another" }),
  ],
  [
    "connect links",
    "/dev/connect-links",
    async () => await call("POST", "/connect/links", { tags: { end_user_id: "u-1" } }),
  ],
  [
    "revocations",
    "/dev/revocations",
    async () =>
      await call("POST", "/revocations", {
        ...{ match: { provider_config_key: "open" }, rehearsal: true, reason: "a test" },
      }),
  ],
])("a change by another is shown on the screen of %s", async ([, path, change], context) => {
  using served = new ServedRequests();
  await using visit = await openAsOwner(context, people, path);
  const { page } = visit;
  await expect.poll(() => served.countOpen("/events")).toBe(1);
  await page.locator("a[data-row='0'], .empty").first().waitFor();
  const before = await countRows(page);
  await page.evaluate("window.isSamePage = true");

  await change();

  await expect.poll(async () => await countRows(page), patience).toBeGreaterThan(before);
  expect(await page.evaluate("window.isSamePage")).toBe(true);
});

test("what others do is shown on Home: connections, problems and deployments", async (context) => {
  await addConnections(owner, environment, ["lost"]);
  using served = new ServedRequests();
  await using visit = await openAsOwner(context, people, "/dev");
  const { page } = visit;
  await expect.poll(() => served.countOpen("/events")).toBe(1);
  const connections = page.getByText(/^\d+ of \d+ authorized$/);
  const problems = page.getByRole("region", { name: /^Problems/ });
  const deployments = page.getByRole("region", { name: "Latest deployments" });
  for (const part of [connections, problems, deployments]) await part.waitFor();
  const before = await connections.textContent();
  await page.evaluate("window.isSamePage = true");

  await addConnections(owner, environment, ["found"]);
  await expect.poll(async () => await connections.textContent(), patience).not.toBe(before);
  const listed = await deployments.textContent();
  await deployAction("nod");
  await expect.poll(async () => await deployments.textContent(), patience).not.toBe(listed);
  const open = await problems.textContent();
  await refuseConnection("lost");
  await expect.poll(async () => await problems.textContent(), patience).not.toBe(open);

  expect(await page.evaluate("window.isSamePage")).toBe(true);
});

test("a person who is invited by another is shown within a minute", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev");
  const { page } = visit;
  await page.clock.install();
  await page.goto(`${page.url().replace(/\/dev$/, "")}/people`);
  await page.locator("a[data-row='0']").waitFor();
  const before = await countRows(page);
  await page.evaluate("window.isSamePage = true");
  const grants = [{ role: "read-only", environments: "all" }];

  await call("POST", "/users", { email: "new@example.com", name: "New", grants });
  await page.clock.runFor(61_000);

  await expect.poll(async () => await countRows(page)).toBe(before + 1);
  expect(await page.evaluate("window.isSamePage")).toBe(true);
});
