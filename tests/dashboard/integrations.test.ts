import { afterAll, beforeAll, expect, test } from "vitest";
import { closeBrowser } from "../connect-ui/browser.ts";
import { type PeopleUnderTest, startPeople } from "../people/people-under-test.ts";
import { dashboardOf, expectAccessible, isTooWide, openAsOwner } from "./open-dashboard.ts";

let people: PeopleUnderTest;
beforeAll(async () => {
  people = await startPeople();
});
afterAll(async () => {
  await closeBrowser();
  await people[Symbol.asyncDispose]();
});

test("from an empty list through the catalogue to an integration", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/integrations");
  const { page } = visit;

  await page.getByText("No integration yet").waitFor();
  await expectAccessible(page);
  await page.getByRole("link", { name: "Add an integration" }).first().click();
  await page.getByRole("heading", { name: "Catalogue" }).waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("github");
  await page.getByRole("link", { name: /^GitHub\s*OAUTH2$/ }).click();
  await expectAccessible(page);
  await page.getByLabel("Key of the integration").fill("bad/key");
  await page.getByRole("button", { name: "Create the integration" }).click();
  await page.getByRole("alert").getByText("invalid_body").waitFor();
  await page.getByLabel("Key of the integration").fill("our-github");
  await page.getByLabel("Client ID").fill("client");
  await page.getByLabel("Client secret").fill("client-secret-of-the-test");
  await page.getByLabel("Scopes").fill("repo");
  await page.getByRole("button", { name: "Create the integration" }).click();
  await page.getByRole("heading", { name: "GitHub" }).waitFor();
  await page.getByText(/\/oauth\/callback$/).waitFor();
  await expectAccessible(page);
  await page.goBack();
  const shown = await page.content();

  expect(shown).not.toContain("client-secret-of-the-test");
  const owner = await people.owner();
  const { body } = await owner.call("GET", "/integrations/our-github", { environment: "dev" });
  expect(body.data).toMatchObject({ unique_key: "our-github", provider: "github" });
});

test("logos come from the page's own origin, and the grid fits a phone", async (context) => {
  const viewport = { width: 360, height: 780 };
  await using visit = await openAsOwner(context, people, "/dev/catalogue?q=hubspot", { viewport });
  const { page } = visit;

  await page.getByRole("link", { name: /^HubSpot\s*OAUTH2$/ }).waitFor();
  await expectAccessible(page);
  await page.goto(`${dashboardOf(people)}/dev/catalogue?q=no-such-provider`);

  await page.getByText("No provider matches").waitFor();
  expect(await isTooWide(page)).toBe(false);
});

test("an integration that is gone says so", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/integrations/none");

  await visit.page.getByRole("alert").getByText("not_found").waitFor();
});
