import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { administer } from "../../../packages/server/src/foundation/testing/administer.ts";
import { closeBrowser } from "../../connect-ui/browser.ts";
import { type Browser, type PeopleUnderTest, startPeople } from "../../people/people-under-test.ts";
import { wakeWork } from "../../wake-work.ts";
import { addConnections, deployFunction } from "../fill-environment.ts";
import { dashboardOf, expectAccessible, openAsOwner } from "../open-dashboard.ts";

// What the screens say of keys, of work that waits, and of the installation itself. The tests go forward in time.

vi.setConfig({ testTimeout: 180_000, hookTimeout: 240_000 });

const patience = { timeout: 90_000, interval: 500 };
const environment = "dev";
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const MOST_AT_ONCE = 12;

let people: PeopleUnderTest;
let owner: Browser;
let aheadMs = 0;

beforeAll(async () => {
  const clock = { now: () => new Date(Date.now() + aheadMs) };
  people = await startPeople({ SVC_RUN_PLACES: "2" }, { clock });
  owner = await people.owner();
});
afterAll(async () => {
  await closeBrowser();
  await people[Symbol.asyncDispose]();
});

async function call(method: string, path: string, body?: object, headers = {}) {
  const answer = await owner.call(method, path, { environment, body, headers });
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer;
}

/** Sessions end with time as well. */
async function goAhead(ms: number): Promise<void> {
  aheadMs = ms;
  owner = await people.owner();
}

async function waitForProblem(kind: string, prepare?: string): Promise<void> {
  await vi.waitFor(async () => {
    if (prepare !== undefined) await administer(people.database.connectionString, prepare);
    await wakeWork(people.database);
    const { body } = await call("GET", `/problems?state=open&kind=${kind}`);
    expect(body.data).toHaveLength(1);
  }, patience);
}

/** The page of the only problem of a kind, which says since when it is. */
async function openProblem(page: Page, kind: string): Promise<void> {
  await page.goto(`${dashboardOf(people)}/dev/problems?kind=${kind}`);
  await page.locator("a[data-row='0']").click();
  await page.getByRole("heading", { name: "What happens by itself" }).waitFor();
  await page.getByRole("region", { name: "About" }).getByText("Since").waitFor();
  await expectAccessible(page);
}

test("a table without a partition for tomorrow: which, what the server does, and where to look", async (context) => {
  const day = new Date(Date.now() + DAY).toISOString().slice(0, 10).replaceAll("-", "");
  // Something else has its name, so that the server cannot make it again.
  const taken = `drop table operations_${day}; create table operations_${day} ()`;
  await administer(people.database.connectionString, taken);
  await waitForProblem("partition_missing");
  await using visit = await openAsOwner(context, people, "/dev/problems");
  const { page } = visit;

  await openProblem(page, "partition_missing");
  await page.getByRole("heading", { name: "1 table has no partition for tomorrow" }).waitFor();
  await page.getByRole("region", { name: "Cause" }).getByText("operations").waitFor();
  await page.getByText("The server tries again at each start and once a day").waitFor();
  await page.getByRole("link", { name: "Open the installation" }).click();

  await page.getByRole("heading", { name: "Installation", level: 1 }).waitFor();
});

test("a worker whose disk is almost full: how much is left, what then fails, and where to look", async (context) => {
  // The heartbeat of a worker on another machine: the disk of this one is not filled for a test.
  const beat = `insert into worker_heartbeats (pool_id, process, seen_at, free_bytes, total_bytes)
    values ('elsewhere', 'far:1', now(), 1000000000, 500000000000)
    on conflict (pool_id) do update set seen_at = now()`;
  await waitForProblem("disk_low", beat);
  await using visit = await openAsOwner(context, people, "/dev/problems");
  const { page } = visit;

  await openProblem(page, "disk_low");
  await page.getByText("far:1 has 954 MB of 466 GB free.").waitFor();
  await page.getByText(/when the file system is full, writes are refused/).waitFor();
  await page.getByRole("link", { name: "Open the installation" }).click();

  await page.getByRole("heading", { name: "Installation", level: 1 }).waitFor();
});

test("a signing key that is being replaced: until when both sign, and where the new one is", async (context) => {
  await call("POST", "/environment/webhook-signing-key/rotate", { immediate: true });
  await call("POST", "/environment/webhook-signing-key/rotate", { immediate: false });
  await waitForProblem("signing_key_rotating");
  await using visit = await openAsOwner(context, people, "/dev/problems");
  const { page } = visit;

  await openProblem(page, "signing_key_rotating");
  await page.getByText("Webhooks carry the signatures of both keys").waitFor();
  const about = page.getByRole("region", { name: "About" });
  await about.getByText("Next", { exact: true }).waitFor();
  await page.getByRole("link", { name: "Open the signing keys" }).click();

  await page.waitForURL("**/dev/settings/webhooks");
});

test("a key that ends soon: which, when, and where it is replaced", async (context) => {
  const ends = new Date(Date.now() + 3 * DAY).toISOString();
  const made = { display_name: "backup", scopes: ["environment:logs:read"], expires_at: ends };
  await call("POST", "/environment/api-keys", made);
  await waitForProblem("key_expiring");
  await using visit = await openAsOwner(context, people, "/dev/problems");
  const { page } = visit;

  await openProblem(page, "key_expiring");
  await page
    .getByRole("heading", { name: "1 API key of the environment ends within 7 days" })
    .waitFor();
  await page.getByRole("region", { name: "Cause" }).getByText("backup").waitFor();
  await page.getByText("When they expire, the keys are refused.").waitFor();
  const about = page.getByRole("region", { name: "About" });
  await about.getByText("Next", { exact: true }).waitFor();
  await page.getByRole("link", { name: "Open the keys" }).click();

  await page.getByRole("link", { name: "backup" }).waitFor();
});

test("work that waits for a worker: how much of what, and where the workers are", async (context) => {
  const ids = Array.from({ length: MOST_AT_ONCE }, (_, nth) => `c-${nth}`);
  await addConnections(owner, environment, ids);
  const code = `import { createAction } from "jackfield";
import * as z from "zod";
export default createAction({
  description: "Takes long",
  version: "1.0.0",
  input: z.any(),
  output: z.any(),
  exec: async () => {
    await new Promise((resolve) => setTimeout(resolve, 300_000));
  },
});
`;
  await deployFunction(owner, environment, { type: "action", name: "slow", code });
  for (const id of ids) {
    const headers = { "connection-id": id, "provider-config-key": "open", "x-async": "true" };
    await call("POST", "/action/trigger", { action_name: "slow", input: {} }, headers);
  }
  aheadMs = 3 * MINUTE;
  await waitForProblem("queue_late");
  await using visit = await openAsOwner(context, people, "/dev/problems");
  const { page } = visit;

  await openProblem(page, "queue_late");
  await page.getByRole("heading", { name: /\d+ queued jobs? waits? for over 2 minutes/ }).waitFor();
  await page.getByText(/^Waiting: .*action/).waitFor();
  await page.getByText("The work is done as soon as a worker is free.").waitFor();
  await page.getByRole("link", { name: "Workers and queue" }).click();

  await page.getByRole("heading", { name: "Installation", level: 1 }).waitFor();
});

test("keys that nobody has used for 90 days: which, and where they are deleted", async (context) => {
  await goAhead(91 * DAY);
  const named = { display_name: "forgotten", scopes: ["environment:logs:read"] };
  await call("POST", "/environment/api-keys", named);
  await goAhead(182 * DAY);
  await waitForProblem("key_unused");
  await using visit = await openAsOwner(context, people, "/dev/problems");
  const { page } = visit;

  await openProblem(page, "key_unused");
  await page.getByRole("heading", { name: /were not used for 90 days/ }).waitFor();
  await page
    .getByRole("region", { name: "Cause" })
    .getByText(/forgotten/)
    .waitFor();
  await page.getByText("Nothing: the keys keep working.").waitFor();
  await page.getByRole("link", { name: "Open the keys" }).click();

  await page.getByRole("link", { name: "forgotten" }).waitFor();
});
