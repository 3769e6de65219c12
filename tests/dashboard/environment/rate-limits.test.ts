import { describeIntegration, startVendor, type Vendor } from "@jackfield/simulator";
import { afterAll, beforeAll, expect, test } from "vitest";
import { closeBrowser } from "../../connect-ui/browser.ts";
import { type Browser, type PeopleUnderTest, startPeople } from "../../people/people-under-test.ts";
import { expectAccessible, isTooWide, openAsOwner } from "../open-dashboard.ts";

const environment = "dev";
const QUOTA = 4;
const CALLS = 12;

let people: PeopleUnderTest;
let owner: Browser;
let vendor: Vendor;
beforeAll(async () => {
  people = await startPeople();
  owner = await people.owner();
  vendor = await startVendor("openai");
  const { settings } = describeIntegration(vendor);
  const integration = { provider: "openai", unique_key: "ai", settings };
  await owner.call("POST", "/integrations", { environment, body: integration });
  const { credentials } = vendor.newConnection() ?? {};
  for (let n = 0; n < CALLS; n += 1) {
    const body = { provider_config_key: "ai", connection_id: `c${n}`, credentials };
    const { status, text } = await owner.call("POST", "/connections", { environment, body });
    expect(status, text).toBe(201);
  }
});
afterAll(async () => {
  await closeBrowser();
  await vendor[Symbol.asyncDispose]();
  await people[Symbol.asyncDispose]();
});

async function proxied(connection: string): Promise<number> {
  const headers = {
    authorization: `Bearer ${people.keys.dev}`,
    ...{ "provider-config-key": "ai", "connection-id": connection },
    "rate-limit-wait": "60",
  };
  return (await fetch(`${people.url}/proxy/v1/models`, { headers })).status;
}

test("a provider's budget is shown with who waits for it and since when, and follows what happens", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/integrations/ai");
  const { page } = visit;

  await page.getByRole("link", { name: "Rate limits" }).last().click();
  await page.getByText("No rate limits known yet").waitFor();
  await expectAccessible(page);
  vendor.setFaults({ app_quota: QUOTA, app_quota_s: 6 });
  const sent = Promise.all(Array.from({ length: CALLS }, (_, n) => proxied(`c${n}`)));
  await page.getByText("No rate limits known yet").waitFor({ state: "detached" });
  await page.getByRole("row", { name: /ai, all connections.*\d+, up to \d/ }).waitFor();
  await page.getByRole("link", { name: "ai, all connections" }).click();
  const panel = page.getByRole("complementary", { name: "ai, all connections" });
  await panel.getByRole("row", { name: /API keys and users [1-9]\d* .*\d/ }).waitFor();
  await panel.getByRole("link", { name: "1 call" }).first().waitFor();
  await expectAccessible(page);
  const statuses = await sent;
  await panel.getByRole("row", { name: /API keys and users 0 – / }).waitFor();
  await page.setViewportSize({ width: 360, height: 780 });

  expect(await isTooWide(page)).toBe(false);
  expect(new Set(statuses)).toEqual(new Set([200]));
  await panel.getByText(String(QUOTA), { exact: true }).first().waitFor();
}, 120_000);
