import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { closeBrowser, startVisit } from "../../connect-ui/browser.ts";
import { OWNER, type PeopleUnderTest, startPeople } from "../../people/people-under-test.ts";
import { addAuthenticator } from "../authenticator.ts";
import {
  dashboardOf,
  expectAccessible,
  isTooWide,
  openAsOwner,
  openAsRole,
} from "../open-dashboard.ts";

vi.setConfig({ testTimeout: 90_000 });

let people: PeopleUnderTest;
beforeAll(async () => {
  people = await startPeople();
  await people.owner();
});
afterAll(async () => {
  await closeBrowser();
  await people[Symbol.asyncDispose]();
});

/** From now on a call that needs it asks again who is there. */
async function forgetProof(): Promise<void> {
  const { default: pg } = await import("pg");
  const client = new pg.Client({ connectionString: people.database.connectionString });
  await client.connect();
  await client.query("update user_sessions set elevated_until = null");
  await client.end();
}

const loadedScripts = "performance.getEntriesByType('resource').map(({ name }) => name).join(' ')";

test("somebody is invited after a proof of identity, joins by the link, and gets other rights", async (context) => {
  await using visit = await openAsOwner(context, people, "/people");
  const { page } = visit;
  await page.getByText("Ada Lovelace (you)").waitFor();
  await expectAccessible(page);
  await forgetProof();
  // With its fields the question can be asked before anybody types.
  await expect.poll(async () => await page.evaluate(loadedScripts)).toContain("/proofs-");

  await page.getByRole("button", { name: "Invite someone" }).click();
  await page.getByLabel("Name").fill("Grace Hopper");
  await page.getByLabel("E-mail address").fill("grace@example.com");
  await expectAccessible(page);
  await page.getByRole("button", { name: "Create the invitation" }).click();
  await page.getByRole("heading", { name: "Confirm your identity" }).waitFor();
  await page.keyboard.type("not it");
  await expectAccessible(page);
  expect(await page.getByLabel("Your password").inputValue()).toBe("not it");
  await page.keyboard.press("Enter");
  await page.getByText("sign_in_failed").waitFor();
  await page.getByLabel("Your password").fill(OWNER.password);
  await page.getByRole("button", { name: "Confirm" }).click();
  const link = await page.getByText(/\/dashboard\/invite#/).textContent();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.getByText("invited").waitFor();
  await using other = await startVisit(context);
  await other.page.goto(String(link).replace("127.0.0.1", "localhost"));
  await other.page.getByLabel("Password").fill("compilers speak in plain words");
  await other.page.getByRole("button", { name: "Save and sign in" }).click();
  await other.page.getByRole("heading", { name: "Home", level: 1 }).waitFor();
  await page.getByRole("link", { name: "Grace Hopper" }).click();
  await page.getByRole("button", { name: "developer Role" }).click();
  await page.getByRole("option", { name: "support" }).click();
  await page.getByRole("button", { name: "Save the rights" }).click();
  await page
    .getByText(/support · those that are not production/)
    .first()
    .waitFor();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Disable sign-in" }).click();
  await page.getByRole("button", { name: "Enable sign-in" }).waitFor();
  await other.page.reload();

  await other.page.getByRole("heading", { name: "Sign in" }).waitFor();
});

test("a new link to sign in is made, and a person is removed by keyboard", async (context) => {
  const owner = await people.owner();
  const grants = [{ role: "support", environments: "all" }];
  const body = { email: "mary@example.com", name: "Mary Somerville", grants };
  await owner.call("POST", "/users", { body });
  await using visit = await openAsOwner(context, people, "/people");
  const { page } = visit;

  await page.getByRole("link", { name: "Mary Somerville" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "New link to sign in" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "New link to sign in" }).click();
  await page.getByText(/\/dashboard\/invite#/).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Remove", exact: true }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await page.getByRole("link", { name: "Mary Somerville" }).waitFor({ state: "detached" });
  await page.setViewportSize({ width: 360, height: 780 });

  expect(await isTooWide(page)).toBe(false);
});

test("a passkey is added in the profile, signs in, and is removed", async (context) => {
  await using visit = await openAsOwner(context, people, "/profile");
  const { page } = visit;
  await page.getByText("You have none yet.").waitFor();
  await expectAccessible(page);
  await addAuthenticator(page);

  await page.getByLabel("Name of the new passkey").fill("Laptop");
  await page.getByRole("button", { name: "Add a passkey" }).click();
  await page.getByText("Laptop", { exact: true }).waitFor();
  await page.getByRole("button", { name: OWNER.name }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await page.getByRole("button", { name: "Sign in with a passkey" }).click();
  await page.getByRole("heading", { name: "Home", level: 1 }).waitFor();
  await forgetProof();
  await page.goto(`${dashboardOf(people)}/profile`);
  await page.getByRole("button", { name: "Remove Laptop" }).click();
  await page.getByRole("button", { name: "Use a passkey" }).click();

  await page.getByText("You have none yet.").waitFor();
});

test("sessions are listed and ended, and an authenticator app is offered", async (context) => {
  await people.owner();
  await using visit = await openAsOwner(context, people, "/profile");
  const { page } = visit;

  const sessions = page.getByRole("region", { name: "Where you are signed in" });
  await sessions.getByText("this browser").waitFor();
  await sessions.getByRole("button", { name: "End all others" }).click();
  await expect
    .poll(async () => await sessions.getByRole("button", { name: "End", exact: true }).count())
    .toBe(0);
  await page.getByRole("button", { name: "Add an authenticator app" }).click();
  await page.getByLabel("Code of the app").fill("000000");
  await expectAccessible(page);
  await page.getByRole("button", { name: "Confirm the app" }).click();

  await page.getByText("sign_in_failed").waitFor();
});

test("a role without rights in the account is not led to its screens, and learns why there", async (context) => {
  await using visit = await openAsRole(context, people, "support", "/people");
  const { page } = visit;

  await page.getByRole("alert").getByText("forbidden", { exact: true }).waitFor();
  await expectAccessible(page);

  expect(await page.getByRole("link", { name: "Audit log" }).count()).toBe(0);
  expect(await page.getByRole("button", { name: "Invite someone" }).isDisabled()).toBe(true);
});

test("the owner asks roles for a second factor, after seeing whom that holds up", async (context) => {
  const { email, browser } = await people.join("developer", {
    password: "looms count in punched cards",
  });
  await using visit = await openAsOwner(context, people, "/people");
  const { page } = visit;

  await page.getByText("A password alone is enough for every role.").waitFor();
  await page.getByRole("button", { name: "Second factor …" }).click();
  const dialog = page.getByRole("dialog");
  expect(await dialog.getByRole("button", { name: "Save the rule" }).isDisabled()).toBe(true);
  await dialog.getByRole("checkbox", { name: "admin" }).focus();
  await page.keyboard.press("Space");
  await dialog.getByText("Everyone with these roles has a second factor.").waitFor();
  await dialog.getByText("developer", { exact: true }).click();
  await dialog
    .getByText(/^With these roles, \d (person|people) can sign in with a password/)
    .waitFor();
  await dialog.getByText(email).waitFor();
  expect(await dialog.getByText("That includes you.").count()).toBe(0);
  await dialog.getByText("owner", { exact: true }).click();
  await dialog.getByText("That includes you.").waitFor();
  await expectAccessible(page);
  await dialog.getByText("owner", { exact: true }).click();
  await forgetProof();
  await dialog.getByRole("button", { name: "Save the rule" }).click();
  await page.getByLabel("Your password").fill(OWNER.password);
  await page.getByRole("button", { name: "Confirm" }).click();
  await page.getByText("A password alone is not enough for: admin, developer.").waitFor();
  await expectAccessible(page);

  const held = await browser.call("GET", "/connections", { environment: "dev" });
  expect(held.body.error.code).toBe("second_factor_missing");
  await page.getByRole("button", { name: "Second factor …" }).click();
  await dialog.getByText("admin", { exact: true }).click();
  await dialog.getByText("developer", { exact: true }).click();
  await dialog.getByRole("button", { name: "Save the rule" }).click();
  await page.getByText("A password alone is enough for every role.").waitFor();

  const free = await browser.call("GET", "/connections", { environment: "dev" });
  expect(free.status).toBe(200);
});
