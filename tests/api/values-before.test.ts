import { afterAll, beforeAll, expect, test } from "vitest";
import { deployThings } from "../dashboard/deployed-sync.ts";
import { addConnections, waitFor } from "../dashboard/fill-environment.ts";
import { type Browser, type PeopleUnderTest, startPeople } from "../people/people-under-test.ts";

let people: PeopleUnderTest;
let owner: Browser;
beforeAll(async () => {
  people = await startPeople();
  owner = await people.owner();
});
afterAll(async () => await people[Symbol.asyncDispose]());

/** The oldest first. */
async function listBefore(action: string): Promise<unknown[]> {
  const { body } = await owner.call("GET", `/audit?action=${action}`);
  return body.data.map(({ before }: { before: unknown }) => before).toReversed();
}

test("the row of a deleted integration says what it was", async () => {
  const body = { provider: "private-api-bearer", unique_key: "crm", display_name: "Our CRM" };
  const made = await owner.call("POST", "/integrations", { body, environment: "dev" });

  const deleted = await owner.call("DELETE", "/integrations/crm", { environment: "dev" });

  expect([made.status, deleted.status]).toEqual([200, 200]);
  expect(await listBefore("deleteIntegration")).toEqual([
    { provider: "private-api-bearer", display_name: "Our CRM" },
  ]);
});

test("the row of a deleted integration says what it was also where its connections go page by page", async () => {
  const body = { provider: "private-api-bearer", unique_key: "large", display_name: "Large CRM" };
  await owner.call("POST", "/integrations", { body, environment: "dev" });
  for (let count = 0; count < 101; count += 1) {
    const credentials = { type: "API_KEY", apiKey: "k" };
    const connection = { provider_config_key: "large", connection_id: `c${count}`, credentials };
    await owner.call("POST", "/connections", { body: connection, environment: "dev" });
  }

  const deleted = await owner.call("DELETE", "/integrations/large", { environment: "dev" });

  expect(deleted.status).toBe(200);
  expect((await listBefore("deleteIntegration")).at(-1)).toEqual({
    provider: "private-api-bearer",
    display_name: "Large CRM",
  });
});

test("the row of a sync's frequency says how often it ran before", async () => {
  await addConnections(owner, "dev", ["alpha"]);
  await deployThings(owner, "dev");
  const target = { provider_config_key: "open", connection_id: "alpha", sync_name: "things" };
  const set = async (frequency: string | null) =>
    await owner.call("PUT", "/sync/update-connection-frequency", {
      body: { ...target, frequency },
      environment: "dev",
    });
  await waitFor(async () => (await set("every hour")).status === 200);

  const changed = [await set("every 2 hours"), await set(null)];

  expect(changed.map(({ status }) => status)).toEqual([200, 200]);
  expect((await listBefore("updateSyncConnectionFrequency")).slice(-3)).toEqual([
    { frequency: "every day" },
    { frequency: "every hour" },
    { frequency: "every 2 hours" },
  ]);
});
