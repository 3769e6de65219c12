import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { closeBrowser } from "../../connect-ui/browser.ts";
import { type Browser, type PeopleUnderTest, startPeople } from "../../people/people-under-test.ts";
import { addConnections } from "../fill-environment.ts";
import {
  dashboardOf,
  expectAccessible,
  isTooWide,
  openAsOwner,
  openAsRole,
} from "../open-dashboard.ts";

// Environments are listed, made, renamed and deleted; addresses with the name of before lead on.

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let people: PeopleUnderTest;
let owner: Browser;
beforeAll(async () => {
  people = await startPeople();
  owner = await people.owner();
  await addConnections(owner, "dev", ["ada", "bob"]);
});
afterAll(async () => {
  await closeBrowser();
  await people[Symbol.asyncDispose]();
});

async function make(name: string): Promise<string> {
  const { body, status, text } = await owner.call("POST", "/environments", { body: { name } });
  expect(status, text).toBe(200);
  return body.data.id;
}

async function rename(id: string, name: string): Promise<void> {
  const { status, text } = await owner.call("PATCH", `/environments/${id}`, { body: { name } });
  expect(status, text).toBe(200);
}

test("an environment is made from the switcher on, with a key that works, and deleted by its name", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev");
  const { page } = visit;

  await page.getByRole("button", { name: "dev Environment" }).click();
  await page.getByRole("option", { name: "All environments …" }).click();
  await page.getByRole("heading", { level: 1, name: "Environments" }).waitFor();
  const row = page.getByRole("row", { name: /^dev/ });
  await row.getByRole("cell", { name: "2", exact: true }).waitFor();
  await expectAccessible(page);
  await page.getByRole("button", { name: "New environment" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("Not A Name");
  await dialog.getByRole("button", { name: "Create" }).click();
  await dialog.getByText("may hold small letters", { exact: false }).waitFor();
  await dialog.getByLabel("Name").fill("staging");
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Create" }).click();
  await dialog.getByText("The environment staging is ready.").waitFor();
  const line = await dialog.getByRole("region").textContent();
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Open" }).click();
  await page.waitForURL("**/dashboard/staging");
  const [variable, secret] = String(line).split("=");
  const made = await fetch(`${people.url}/environment`, {
    headers: { authorization: `Bearer ${secret}` },
  });

  expect(variable).toBe("SVC_SECRET_KEY_STAGING");
  expect(Object(await made.json()).data).toMatchObject({ name: "staging", is_production: false });

  await page.goto(`${dashboardOf(people)}/environments`);
  await page.getByRole("cell", { name: "staging" }).getByRole("link").click();
  const panel = page.getByRole("complementary", { name: "staging" });
  await expectAccessible(page);
  await panel.getByRole("button", { name: "Delete the environment staging" }).click();
  const question = page.getByRole("dialog");
  const confirm = question.getByRole("button", { name: "Delete the environment staging" });
  expect(await confirm.isDisabled()).toBe(true);
  await question.getByRole("textbox").fill("staging");
  await confirm.click();
  await page.getByRole("cell", { name: "staging" }).waitFor({ state: "detached" });
  const { body } = await owner.call("GET", "/environments");
  expect(body.data.map(({ name }: { name: string }) => name)).not.toContain("staging");
});

test("deleting names how many connections go; production is not deleted; a role says what it lacks", async (context) => {
  await using visit = await openAsOwner(context, people, "/environments?q=de");
  const { page } = visit;

  await page.getByRole("cell", { name: "dev" }).getByRole("link").click();
  await page.getByRole("button", { name: "Delete the environment dev" }).click();
  await page.getByText("Connections that go with it: 2.").waitFor();
  await page.keyboard.press("Escape");
  await page.goto(`${dashboardOf(people)}/environments`);
  await page.getByRole("cell", { name: "prod", exact: true }).getByRole("link").click();
  await page.getByText("Production environments cannot be deleted.", { exact: false }).waitFor();
  await page.setViewportSize({ width: 360, height: 780 });
  expect(await isTooWide(page)).toBe(false);
  expect(await page.getByRole("button", { name: "Delete the environment prod" }).isDisabled()).toBe(
    true,
  );

  await using other = await openAsRole(context, people, "support", "/environments");
  const button = other.page.getByRole("button", { name: "New environment" });
  await button.focus();
  await other.page.getByText("It needs account:environments:create.", { exact: false }).waitFor();
});

test("an address with the old name of an environment leads to the new one, with its path and query", async (context) => {
  const id = await make("trial");
  await rename(id, "pilot");
  await using visit = await openAsOwner(context, people, "/trial/connections?state=ok&q=a%2Fb");
  const { page } = visit;

  await page.getByRole("heading", { level: 1, name: "Connections" }).waitFor();

  expect(page.url()).toBe(`${dashboardOf(people)}/pilot/connections?state=ok&q=a%2Fb`);
  await page.goto(`${dashboardOf(people)}/environments`);
  await page.getByRole("cell", { name: "pilot" }).getByRole("link").click();
  await page.getByText("trial. Addresses of the dashboard with these still lead here.").waitFor();
});

test("an environment that has taken an old name is the one that the name leads to", async (context) => {
  const id = await make("first");
  await rename(id, "moved");
  const next = await make("first");

  await using visit = await openAsOwner(context, people, "/first/settings/general");
  const { page } = visit;
  await page.getByRole("heading", { level: 1, name: "Environment · General" }).waitFor();
  expect(new URL(page.url()).pathname).toBe("/dashboard/first/settings/general");

  await owner.call("DELETE", `/environments/${next}`);
  await page.goto(`${dashboardOf(people)}/first/settings/general`);
  await page.waitForURL("**/moved/settings/general");
});

test("an environment that is named like a page of the dashboard can be reached, each of its screens too", async (context) => {
  for (const name of ["people", "o", "assets", "sign-in"]) await make(name);
  await addConnections(owner, "people", ["grace"]);
  await using visit = await openAsOwner(context, people, "/dev/connections");
  const { page } = visit;

  for (const name of ["assets", "o", "sign-in", "people"]) {
    await page.goto(`${dashboardOf(people)}/dev/connections`);
    await page.getByRole("button", { name: "dev Environment" }).click();
    await page.getByRole("option", { name, exact: true }).click();
    await page.getByRole("button", { name: `${name} Environment` }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/dashboard/~${name}/connections`);
    await page.getByRole("link", { name: "Home", exact: true }).click();
    await page.waitForURL(`**/dashboard/~${name}`);
    await page.getByRole("link", { name: "API keys" }).click();
    await page.getByRole("heading", { level: 1, name: "API keys" }).waitFor();
    // It is loaded as its own page as well.
    await page.reload();
    await page.getByRole("button", { name: `${name} Environment` }).waitFor();
  }
  await page.getByRole("link", { name: "Connections" }).click();
  await page.getByRole("cell", { name: "grace" }).first().waitFor();
  await page.goto(`${dashboardOf(people)}/people`);
  await page.getByRole("heading", { level: 1, name: "People" }).waitFor();
});
