import { afterAll, beforeAll, expect, test } from "vitest";
import { closeBrowser } from "../../connect-ui/browser.ts";
import { type Browser, type PeopleUnderTest, startPeople } from "../../people/people-under-test.ts";
import { addConnections } from "../fill-environment.ts";
import { expectAccessible, openAsOwner } from "../open-dashboard.ts";

const environment = "dev";
let people: PeopleUnderTest;
let owner: Browser;
let webhookOf: (integration: string) => string;
beforeAll(async () => {
  people = await startPeople();
  owner = await people.owner();
  await addConnections(owner, environment, ["alpha"]);
  const other = { provider: "unauthenticated", unique_key: "never" };
  await owner.call("POST", "/integrations", { environment, body: other });
  const { body: me } = await owner.call("GET", "/me");
  const { id } = me.data.environments.find(({ name }: { name: string }) => name === environment);
  webhookOf = (integration) => `${people.url}/webhook/${id}/${integration}`;
  const signed = {
    ...{ provider: "github", unique_key: "signed" },
    credentials: {
      ...{ type: "OAUTH2", client_id: "id", client_secret: "secret" },
      webhook_secret: "signs-webhooks-of-this-test",
    },
  };
  await owner.call("POST", "/integrations", { environment, body: signed });
  const sent = await fetch(webhookOf("open"), { method: "POST", body: "{}" });
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

  // Regardless of whether it is still stored.
  await people.database.pool.query("delete from inbound_webhooks");
  await people.database.pool.query(
    "update webhook_intake set received_at = received_at - interval '8 days'",
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
  await banner.getByText("never: no webhooks are stored").waitFor();
  await banner.getByRole("button", { name: "Copy the address" }).waitFor();

  await expectAccessible(page);
});

test("an integration whose webhooks nothing proves says so, with the cure", async (context) => {
  for (const signature of ["sha256=00", "sha256=01"]) {
    const headers = { "content-type": "application/json", "x-hub-signature-256": signature };
    const sent = await fetch(webhookOf("signed"), { method: "POST", headers, body: "{}" });
    expect(sent.status).toBe(401);
  }
  await using visit = await openAsOwner(context, people, "/dev/integrations/signed");
  const { page } = visit;

  await page.getByText("2 webhooks arrived in 24 hours, but none is verified.").waitFor();
  await page.getByText("2 × wrong signature").waitFor();
  await page.getByText(/Copy the secret from the provider again/).waitFor();
  await expectAccessible(page);
});
