import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { closeBrowser } from "../../connect-ui/browser.ts";
import { type Browser, type PeopleUnderTest, startPeople } from "../../people/people-under-test.ts";
import { addConnections } from "../fill-environment.ts";
import { expectAccessible, openAsOwner } from "../open-dashboard.ts";
import { addCrm, type OAuthProvider, startOAuthProvider } from "./oauth-provider.ts";

vi.setConfig({ testTimeout: 90_000 });

let people: PeopleUnderTest;
let owner: Browser;
let provider: OAuthProvider;
beforeAll(async () => {
  provider = await startOAuthProvider({});
  people = await startPeople();
  owner = await people.owner();
  await addConnections(owner, "dev", ["alpha"]);
  await addCrm(owner, "dev", provider);
});
afterAll(async () => {
  await closeBrowser();
  await people[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
});

/** What the end user's own device does with the link: no window of this browser has part in it. */
async function connectElsewhere(link: string): Promise<string> {
  const token = new URL(link).searchParams.get("session_token") ?? "";
  const answer = await fetch(
    `${people.url}/auth/unauthenticated/open?connect_session_token=${token}`,
    {
      method: "POST",
    },
  );
  const body: { connectionId?: string } = Object(await answer.json());
  expect(answer.status, JSON.stringify(body)).toBeLessThan(300);
  return String(body.connectionId);
}

test("the connection that is made with the link on another device opens here", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/connections");
  const { page } = visit;
  const asked: string[] = [];
  page.on("request", (request) => {
    if (request.url().includes("/connect/session/result")) asked.push(request.url());
  });
  await page.getByRole("cell", { name: "alpha@example.com" }).waitFor();
  await page.getByRole("button", { name: "New connection" }).press("Enter");
  await page.getByLabel("Id of the end user in your app").fill("u-elsewhere");
  await page.keyboard.press("Enter");
  const link = page.getByText(/\/connect\/\?session_token=/);
  await link.waitFor();
  await page.getByText("Waiting for the end user.").waitFor();
  await expectAccessible(page);
  await page.waitForTimeout(4000);
  const askedBefore = asked.length;

  const id = await connectElsewhere(String(await link.textContent()));
  await page.waitForURL(`**/dev/connections/open/${id}/overview`);
  await page.getByRole("heading", { name: "u-elsewhere · open" }).waitFor();

  // The event stream says when to ask; nobody asks every few seconds.
  expect(askedBefore).toBeLessThanOrEqual(1);
  expect(await page.getByRole("dialog").count()).toBe(0);
  expect(page.url()).not.toContain("session_token");
  expect(asked.join()).not.toContain("connect_session");
});

test("a connection that somebody else makes does not take the window along", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/connections");
  const { page } = visit;
  await page.getByRole("button", { name: "New connection" }).click();
  await page.getByLabel("Id of the end user in your app").fill("u-waiting");
  await page.keyboard.press("Enter");
  await page.getByText("Waiting for the end user.").waitFor();
  const asked = page.waitForResponse((answer) => answer.url().includes("/connect/session/result"));

  await addConnections(owner, "dev", ["of-another"]);
  await asked;
  await page.getByText("Waiting for the end user.").waitFor();

  expect(new URL(page.url()).pathname).toBe("/dashboard/dev/connections");
});
