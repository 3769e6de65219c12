import { afterAll, beforeAll, expect, test } from "vitest";
import { closeBrowser } from "../../connect-ui/browser.ts";
import { type Browser, type PeopleUnderTest, startPeople } from "../../people/people-under-test.ts";
import { addConnections } from "../fill-environment.ts";
import { expectAccessible, openAsOwner } from "../open-dashboard.ts";

const environment = "dev";
let people: PeopleUnderTest;
let owner: Browser;
beforeAll(async () => {
  people = await startPeople();
  owner = await people.owner();
  await addConnections(owner, environment, ["alpha"]);
  const other = { provider: "unauthenticated", unique_key: "never" };
  await owner.call("POST", "/integrations", { environment, body: other });
  const { body: me } = await owner.call("GET", "/me");
  const { id } = me.data.environments.find(({ name }: { name: string }) => name === environment);
  const sent = await fetch(`${people.url}/webhook/${id}/open`, { method: "POST", body: "{}" });
  expect(sent.status).toBe(200);
});
afterAll(async () => {
  await closeBrowser();
  await people[Symbol.asyncDispose]();
});

test("an integration that has received nothing for a week says since when, with the address to register", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/webhooks/in?range=all");
  const { page } = visit;
  await page.getByRole("cell", { name: "open", exact: true }).waitFor();
  expect(await page.getByText(/nothing received since/).count()).toBe(0);

  await people.database.pool.query(
    "update inbound_webhooks set received_at = received_at - interval '8 days'",
  );
  await page.reload();
  await page.getByRole("list", { name: "Nothing received" }).getByRole("link").press("Enter");
  const banner = page.getByRole("region", { name: "Nothing received" });
  await banner.getByText(/^open: nothing received since/).waitFor();
  await banner.getByText(/\/webhook\/[0-9a-f-]{36}\/open$/).waitFor();
  await expectAccessible(page);

  expect(new URL(page.url()).searchParams.get("integration")).toBe("open");
});

test("an integration without any webhook shows how to begin", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/webhooks/in?integration=never");
  const { page } = visit;

  const banner = page.getByRole("region", { name: "Nothing received" });
  await banner.getByText("never: no webhook is stored").waitFor();
  await banner.getByRole("button", { name: "Copy the address" }).waitFor();

  await expectAccessible(page);
});
