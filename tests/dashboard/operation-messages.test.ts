import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { closeBrowser } from "../connect-ui/browser.ts";
import { type Browser, type PeopleUnderTest, startPeople } from "../people/people-under-test.ts";
import { deployThings, runThings } from "./deployed-sync.ts";
import { addConnections, waitFor } from "./fill-environment.ts";
import { expectAccessible, isTooWide, openAsOwner } from "./open-dashboard.ts";

const environment = "dev";
const CALLS = 250;

let people: PeopleUnderTest;
let owner: Browser;
let operation: string;

beforeAll(async () => {
  people = await startPeople();
  owner = await people.owner();
  await addConnections(owner, environment, ["alpha"]);
  await deployThings(owner, environment);
  await runThings(owner, environment, "alpha");
  const runs = async () =>
    (await owner.call("GET", "/logs/operations?types=sync:run&states=success", { environment }))
      .body.data;
  await waitFor(async () => (await runs()).length === 1);
  operation = (await runs())[0].id;
  await addCalls();
}, 120_000);
afterAll(async () => {
  await closeBrowser();
  await people[Symbol.asyncDispose]();
});

/** Calls as a run of many pages logs them; before the second one an attempt has failed. */
async function addCalls(): Promise<void> {
  const client = new pg.Client({ connectionString: people.database.connectionString });
  await client.connect();
  const values = [operation, CALLS];
  await client.query(
    `insert into operation_messages (id, operation_id, environment_id, source, level, type, message, request, response,
       duration_ms, created_at)
     select gen_random_uuid(), id, environment_id, 'internal', 'info', 'http', 'GET /pages/' || n,
            jsonb_build_object('method', 'GET', 'url', 'https://api.example.com/pages/' || n),
            '{"code": 200}'::jsonb, 3, started_at + n * interval '1 ms'
       from operations, generate_series(1, $2::int) n where id = $1`,
    values,
  );
  await client.query(
    `insert into operation_messages (id, operation_id, environment_id, source, level, type, message, response, meta,
       created_at)
     select gen_random_uuid(), id, environment_id, 'internal', 'warn', 'http',
            'Attempt 1 was answered with 429; the next follows in 20 ms.', '{"code": 429}'::jsonb,
            '{"retry": {"attempt": 1, "waited_ms": 20}}'::jsonb, started_at + interval '1500 microseconds'
       from operations where id = $1`,
    [operation],
  );
  await client.end();
}

test("a run's time line has its function, its pauses and all of its calls, of which few are in the document", async (context) => {
  await using visit = await openAsOwner(context, people, `/dev/operations/${operation}`);
  const { page } = visit;
  const card = page.getByRole("region", { name: "Calls" }).first();
  const bars = page.locator(".waterfall li");

  await card.getByText("Running the function").waitFor();
  await card.getByText(/^Attempt 1 was answered with 429/).waitFor();
  await card.getByText("The calls of the first 100 messages.").waitFor();
  await expectAccessible(page);
  await card.getByRole("button", { name: "Show the calls of later messages" }).focus();
  await page.keyboard.press("Enter");
  await card.getByText("The calls of the first 200 messages.").waitFor();
  await page.keyboard.press("Enter");
  await card.getByText(`${CALLS} calls in`).waitFor();
  const drawn = await bars.count();
  await page.locator(".waterfall").focus();
  await page.keyboard.press("End");
  await card.getByText(`/pages/${CALLS}`).waitFor();

  expect(drawn).toBeLessThan(60);
  expect(await bars.count()).toBeLessThan(60);
  expect(await page.locator(".waterfall .retry").count()).toBe(0);
  await page.setViewportSize({ width: 360, height: 780 });
  expect(await isTooWide(page)).toBe(false);
});

test("messages can be read from the last one, by an address", async (context) => {
  await using visit = await openAsOwner(context, people, `/dev/operations/${operation}`);
  const { page } = visit;
  const rows = page.getByRole("table", { name: "Messages" }).locator("tbody tr");
  await rows.first().waitFor();

  await page.getByRole("button", { name: "Order: Oldest first" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("option", { name: "Newest first" }).click();
  await page.waitForURL(/order=desc/);
  await rows.filter({ hasText: `GET /pages/${CALLS}` }).waitFor();
  await expectAccessible(page);
  await page.reload();

  await rows.filter({ hasText: `GET /pages/${CALLS}` }).waitFor();
  await page.getByRole("button", { name: "Order: Newest first" }).waitFor();
});
