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

  await page.getByText("No integrations yet").waitFor();
  await expectAccessible(page);
  await page.getByRole("link", { name: "Add an integration" }).first().click();
  await page.getByRole("heading", { name: "Catalogue" }).waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("github");
  await page.getByRole("link", { name: /^GitHub\s*OAuth 2.0$/ }).click();
  await page.getByText(/\/oauth\/callback$/).waitFor();
  await expectAccessible(page);
  await page.getByLabel("Key of the integration").fill("bad/key");
  await page.getByRole("button", { name: "Create the integration" }).click();
  await page.getByRole("alert").getByText("Correct the marked fields").waitFor();
  expect(await page.getByRole("button", { name: "Copy for an issue" }).count()).toBe(0);
  await page.getByLabel("Key of the integration").fill("our-github");
  await page.getByLabel(/^Client ID/).fill("client");
  await page.getByRole("button", { name: "Create the integration" }).click();
  await page
    .getByLabel(/^Client secret/)
    .and(page.locator("[aria-invalid=true]"))
    .waitFor();
  await page.getByLabel(/^Client secret/).fill("client-secret-of-the-test");
  await page.getByLabel(/^Scopes/).fill("repo");
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

  await page.getByRole("link", { name: /^HubSpot\s*OAuth 2.0$/ }).waitFor();
  await expectAccessible(page);
  await page.goto(`${dashboardOf(people)}/dev/catalogue?q=no-such-provider`);

  await page.getByText("No providers match").waitFor();
  expect(await isTooWide(page)).toBe(false);
});

test("an integration that is gone says so", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/integrations/none");

  await visit.page.getByRole("alert").getByText("not_found").waitFor();
});

test("an OpenAPI document is sent, looked at and removed", async (context) => {
  const owner = await people.owner();
  const body = { provider: "private-api-bearer", unique_key: "own-api" };
  await owner.call("POST", "/integrations", { environment: "dev", body });
  await using visit = await openAsOwner(context, people, "/dev/integrations/own-api");
  const { page } = visit;
  const far = { parameters: [{ $ref: "https://elsewhere.example/p.json" }] };
  const document = {
    openapi: "3.1.0",
    info: { title: "Own <b>API</b>", version: "2" },
    paths: {
      "/contacts": { get: { operationId: "listContacts" }, post: { operationId: "addContact" } },
      "/contacts/{id}": { delete: { operationId: "dropContact" } },
      "/far": { get: far },
    },
  };
  const send = async (text: string) => {
    await page.getByLabel("File").setInputFiles({
      ...{ name: "openapi.json", mimeType: "application/json", buffer: Buffer.from(text) },
    });
    await page.getByRole("button", { name: "Make tools" }).click();
  };

  await page.getByText("No OpenAPI document").waitFor();
  await page.getByRole("button", { name: "Add a document" }).click();
  await send("no document");
  await page.getByRole("alert").getByText("invalid_body").waitFor();
  await page.getByLabel("Effects").fill("addContact=read");
  await expectAccessible(page);
  await send(JSON.stringify(document));
  await page.getByText("2 operations are tools.").waitFor();
  await expectAccessible(page);
  const added = await page.getByRole("row", { name: /add-contact/ }).textContent();
  const left = await page.getByRole("row", { name: /GET \/far/ }).textContent();
  await page.getByLabel("Search operations").fill("list");
  await expect
    .poll(async () => await page.getByRole("row", { name: /add-contact/ }).count())
    .toBe(0);
  await page.getByRole("button", { name: "Remove" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await page.getByText("No OpenAPI document").waitFor();

  expect(added).toContain("reads");
  expect(left).toContain("which is not in the document");
});

test("an integration shows how far end users come when they connect, and why attempts fail", async (context) => {
  const owner = await people.owner();
  const integration = { provider: "gitlab", unique_key: "our-gitlab" };
  await owner.call("POST", "/integrations", { environment: "dev", body: integration });
  await people.database.pool.query(
    `insert into connect_funnel (environment_id, day, integration_id, step, reason, count)
     select e.id, current_date, i.id, c.step, c.reason, c.count
       from environments e join integrations i on i.environment_id = e.id and i.unique_key = 'our-gitlab',
            (values ('created', '', 20), ('opened', '', 16), ('chosen', '', 8), ('started', '', 8), ('completed', '', 2),
                    ('failed', 'authorization_cancelled', 4), ('failed', 'token_err', 1)) as c (step, reason, count)
      where e.name = 'dev'`,
  );
  await using visit = await openAsOwner(context, people, "/dev/integrations/our-gitlab");
  const { page } = visit;

  const card = page.getByRole("region", { name: "Connecting, last 30 days" }).first();
  const chosen = card.getByRole("row", { name: /Integration chosen/ });
  await chosen.waitFor();

  expect(await chosen.getByRole("cell").allTextContents()).toEqual(["", "8", "8 (50%)"]);
  await card.getByText(/5 failed and 1 left at the provider/).waitFor();
  await card.getByText("authorization_cancelled").waitFor();
  await expectAccessible(page);
});
