import { afterAll, beforeAll, expect, test } from "vitest";
import { closeBrowser } from "../../connect-ui/browser.ts";
import { type Browser, type PeopleUnderTest, startPeople } from "../../people/people-under-test.ts";
import { addConnections, deployFunction, waitFor } from "../fill-environment.ts";
import { expectAccessible, isTooWide, openAsOwner } from "../open-dashboard.ts";

const code = `import { createSync } from "jackfield";
import * as z from "zod";

export default createSync({
  description: "Contacts",
  frequency: "every hour",
  models: { Contact: z.object({ id: z.string(), email: z.email().nullable() }) },
  onInvalidRecord: "quarantine",
  exec: async (svc) => {
    const given: any[] = [
      { id: "1", email: "ada@example.com", score: 7 },
      { id: "2", email: "<img src=x onerror=alert(1)>" },
      { id: "3", email: 7 },
      { id: "4" },
    ];
    await svc.batchSave(given, "Contact");
  },
});
`;

let people: PeopleUnderTest;
let owner: Browser;
beforeAll(async () => {
  people = await startPeople();
  owner = await people.owner();
  await addConnections(owner, "dev", ["alpha"]);
  await deployFunction(owner, "dev", { type: "sync", name: "contacts", code });
  const body = { provider_config_key: "open", connection_id: "alpha", syncs: ["contacts"] };
  await waitFor(
    async () =>
      (await owner.call("POST", "/sync/trigger", { environment: "dev", body })).status === 200,
  );
  await waitFor(async () => {
    const { body: found } = await owner.call("GET", "/records/quarantine", { environment: "dev" });
    return found.data?.[0]?.count === 3;
  });
}, 120_000);
afterAll(async () => {
  await closeBrowser();
  await people[Symbol.asyncDispose]();
});

test("a connection's records show what was quarantined, why, and samples", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/connections/open/alpha/records");
  const { page } = visit;

  const card = page.getByRole("region", { name: "Quarantine" });
  await card.getByRole("heading", { name: "Contact: 3 records" }).waitFor();
  await card.getByRole("cell", { name: "invalid_format" }).waitFor();
  await expectAccessible(page);
  await card.getByRole("button", { name: "Show samples" }).click();
  await card.getByText("2", { exact: true }).click();
  await card.getByText("<img src=x onerror=alert(1)>").waitFor();
  await expectAccessible(page);
  await page.setViewportSize({ width: 360, height: 780 });

  expect(await isTooWide(page)).toBe(false);
  expect(await page.locator("img[src=x]").count()).toBe(0);
  expect(await card.getByRole("cell", { name: "missing" }).count()).toBe(1);
});

test("a field that the schema does not name is shown as drift", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/connections/open/alpha/records");
  const { page } = visit;

  const card = page.getByRole("region", { name: "Drift" });
  await card.getByRole("heading", { name: "Contact: 1 record sampled" }).waitFor();
  await card.getByRole("cell", { name: "not in the schema" }).waitFor();
  await expectAccessible(page);

  expect(await card.getByRole("rowheader", { name: "/score" }).count()).toBe(1);
  expect(await card.getByRole("rowheader", { name: "/email" }).count()).toBe(0);
});

test("a connection shows how webhooks arrive, which numbers are missing, and what webhooks missed", async (context) => {
  const { pool } = people.database;
  const { rows } = await pool.query(
    "select uuid, environment_id from connections where connection_id = 'alpha'",
  );
  const { uuid, environment_id: environmentId } = Object(rows[0]);
  const missing = [
    [7, 7],
    [11, 13],
  ];
  const sequence = { highest: 50, missing, missingMore: 0, repeated: 0 };
  await pool.query(
    `insert into webhook_arrivals (environment_id, connection_uuid, received, duplicates, sequence, first_at, last_at, silent_since)
     values ($1, $2, 41, 3, $3, now() - interval '20 days', now() - interval '2 days', now() - interval '1 day')`,
    [environmentId, uuid, JSON.stringify(sequence)],
  );
  await pool.query(
    `insert into sync_reconciliations (environment_id, connection_uuid, model, day, brought, missed, runs)
     values ($1, $2, 'Contact', current_date, 30, 2, 4)`,
    [environmentId, uuid],
  );
  await using visit = await openAsOwner(context, people, "/dev/connections/open/alpha/overview");
  const { page } = visit;

  const card = page.getByRole("region", { name: "Webhooks of the provider" });
  await card.getByText("7, 11–13").waitFor();
  await card.getByText("None since").waitFor();
  await expectAccessible(page);
  await page.getByRole("link", { name: "Records" }).last().click();
  await page.getByRole("heading", { name: "Missed by webhooks" }).waitFor();
  await page.getByRole("row", { name: /Contact 30 2$/ }).waitFor();
  await expectAccessible(page);
  await page.setViewportSize({ width: 360, height: 780 });

  expect(await isTooWide(page)).toBe(false);
});

test("a destination is added, says why it fails, is paused and deleted; one of a bucket is added", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/destinations");
  const { page } = visit;

  await page.getByText("No destinations yet").waitFor();
  await page.getByRole("button", { name: "New destination" }).click();
  await page.getByLabel("Name", { exact: true }).fill("warehouse");
  await page
    .getByLabel("URL of the database")
    .fill("postgres://jackfield:unused@127.0.0.1:9/app?sslmode=disable");
  await page.getByLabel("Table", { exact: true }).fill("provider_records");
  await expectAccessible(page);
  await page.getByRole("button", { name: "Create the destination" }).click();
  await page.getByRole("link", { name: "warehouse" }).click();
  const panel = page.getByRole("complementary", { name: "warehouse" });
  await expect
    .poll(async () => {
      await page.getByRole("button", { name: "Refresh" }).click();
      return await panel.getByRole("button", { name: "Try now" }).count();
    })
    .toBe(1);
  await panel.getByText("No change is lost").waitFor();
  await expectAccessible(page);
  await panel.getByRole("button", { name: "Pause" }).click();
  await panel.getByRole("button", { name: "Resume" }).waitFor();
  await panel.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("button", { name: "Delete the destination in dev" }).click();
  await page.getByText("No destinations yet").waitFor();

  await page.getByRole("button", { name: "New destination" }).click();
  await page.getByLabel("Name", { exact: true }).fill("lake");
  await page.getByRole("button", { name: /Deliver to/ }).click();
  await page.getByRole("option", { name: "a bucket (S3-compatible)" }).click();
  await page.getByLabel("Bucket", { exact: true }).fill("example-records");
  await page.getByLabel("Region", { exact: true }).fill("eu-central-1");
  await page.getByLabel("Address of the service").fill("http://127.0.0.1:9");
  await page.getByLabel("Access key ID", { exact: true }).fill("AKIDEXAMPLE");
  await page.getByLabel("Secret access key", { exact: true }).fill("unused");
  await expectAccessible(page);
  await page.getByRole("button", { name: "Create the destination" }).click();
  await page.getByRole("link", { name: "lake" }).click();
  await page
    .getByRole("complementary", { name: "lake" })
    .getByText("127.0.0.1:9/example-records")
    .waitFor();
});
