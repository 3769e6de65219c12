import { afterAll, beforeAll, expect, test } from "vitest";
import { closeBrowser, startVisit } from "../connect-ui/browser.ts";
import { OWNER, type PeopleUnderTest, startPeople } from "../people/people-under-test.ts";
import { dashboardOf, expectAccessible, isTooWide, openAsOwner, signIn } from "./open-dashboard.ts";

let people: PeopleUnderTest;
beforeAll(async () => {
  people = await startPeople();
});
afterAll(async () => {
  await closeBrowser();
  await people[Symbol.asyncDispose]();
});

test("the setup link makes the first owner, and leaves no trace in the address", async (context) => {
  await using fresh = await startPeople();
  await using visit = await startVisit(context);
  const { page } = visit;

  await page.goto(`${dashboardOf(fresh)}/setup#${fresh.setupToken}`);
  const address = page.url();
  await expectAccessible(page);
  await page.getByLabel("E-mail address").fill(OWNER.email);
  await page.getByLabel("Password").fill("short");
  await page.getByRole("button", { name: "Become the owner" }).click();
  await page.getByText("Must have at least 12 characters.").waitFor();
  await page.getByLabel("Password").fill(OWNER.password);
  await page.getByRole("button", { name: "Become the owner" }).click();
  await page.getByRole("heading", { name: "Home", level: 1 }).waitFor();

  expect(address).toBe(`${dashboardOf(fresh)}/setup`);
  expect(new URL(page.url()).pathname).toBe("/dashboard/dev");
  expect(await page.evaluate("JSON.stringify({ ...localStorage, ...sessionStorage })")).toBe("{}");
});

test("an installation without an owner says how to become one", async (context) => {
  await using fresh = await startPeople();
  await using visit = await startVisit(context);

  await visit.page.goto(`${dashboardOf(fresh)}/`);

  await visit.page.getByText("npx jackfield setup-link").waitFor();
});

test("who has not signed in is led to the sign-in page, and back to what they asked for", async (context) => {
  await people.owner();
  await using visit = await startVisit(context);
  const { page } = visit;

  await page.goto(`${dashboardOf(people)}/prod/operations?states=failed`);
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  await expectAccessible(page);
  await page.getByLabel("E-mail address").fill(OWNER.email);
  await page.getByLabel("Password").fill("not the password");
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByText("sign_in_failed").waitFor();
  await signIn(page);
  await page.getByRole("heading", { name: "Operations", exact: true }).waitFor();

  expect(page.url()).toBe(`${dashboardOf(people)}/prod/operations?states=failed`);
});

test("an invitation leads to a password; what a role does not allow is said with its scope", async (context) => {
  const owner = await people.owner();
  const grants = [{ role: "support", environments: "all" }];
  const person = { email: "grace@example.com", name: "Grace", grants };
  const added = await owner.call("POST", "/users", { body: person });
  const token = String(added.body.data.link.url).split("#")[1];
  await using visit = await startVisit(context);
  const { page } = visit;

  await page.goto(`${dashboardOf(people)}/invite#${token}`);
  await page.getByLabel("Password").fill("looms count in punched cards");
  const address = page.url();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Save and sign in" }).click();
  await page.getByRole("heading", { name: "Home", level: 1 }).waitFor();
  await page.goto(`${dashboardOf(people)}/dev/catalogue?add=github`);
  const isDisabled = await page
    .getByRole("button", { name: "Create the integration" })
    .isDisabled();
  await page.route("**/logs/operations?**", async (route) => {
    await route.continue({
      url: route.request().url().replace("logs/operations", "environment-variables"),
    });
  });
  await page.goto(`${dashboardOf(people)}/dev/operations`);
  await page.getByRole("alert").getByText("forbidden", { exact: true }).waitFor();
  await expectAccessible(page);

  expect(address).toBe(`${dashboardOf(people)}/invite`);
  expect(isDisabled).toBe(true);
});

test("signing out ends the session, and Back shows nothing", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/operations");
  const { page } = visit;

  await page.getByRole("button", { name: OWNER.name }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  await page.goBack();

  await page.getByRole("heading", { name: "Sign in" }).waitFor();
});

test("an address of 127.0.0.1 leads to the one at which sessions hold", async (context) => {
  await using visit = await startVisit(context);

  await visit.page.goto(`${people.url}/dashboard/dev/operations`);

  expect(new URL(visit.page.url()).hostname).toBe("localhost");
});

test("the palette, the switcher and the keys lead to screens; production shows", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/operations");
  const { page } = visit;
  await page.getByRole("heading", { name: "Operations", exact: true }).waitFor();

  await page.keyboard.press("Control+k");
  await page.getByRole("dialog", { name: "Go to" }).waitFor();
  await page.keyboard.type("operations · prod");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/prod/operations");
  await page.locator("[data-production=true]").waitFor();
  await page.getByRole("button", { name: "prod Environment" }).click();
  await page.getByRole("option", { name: "dev" }).click();
  await page.waitForURL("**/dev/operations");
  await page.keyboard.press("?");

  await page.getByRole("heading", { name: "Keyboard" }).waitFor();
  await expectAccessible(page);
});

test("an unknown environment names those that there are; an unknown page says so", async (context) => {
  await using visit = await openAsOwner(context, people, "/gone/operations");
  const { page } = visit;

  await page.getByRole("heading", { name: "Environment “gone” not found" }).waitFor();
  await page.getByRole("link", { name: "prod", exact: true }).click();
  await page.waitForURL("**/dashboard/prod");
  await page.goto(`${dashboardOf(people)}/dev/nothing/here`);

  await page.getByRole("heading", { name: "Page not found" }).waitFor();
  await page.getByRole("link", { name: "Open Home" }).click();
  await page.getByRole("heading", { level: 1, name: "Home" }).waitFor();
});

test("the theme is kept in the browser, and a phone has the menu in a sheet", async (context) => {
  const viewport = { width: 360, height: 780 };
  await using visit = await openAsOwner(context, people, "/dev/operations", { viewport });
  const { page } = visit;

  await page.getByRole("button", { name: "Menu" }).click();
  await page.getByRole("button", { name: OWNER.name }).click();
  await page.getByRole("menuitemradio", { name: "Dark" }).click();
  await page.reload();
  await page.getByRole("heading", { name: "Operations", exact: true }).waitFor();

  expect(await page.evaluate("document.documentElement.dataset.theme")).toBe("dark");
  expect(await page.evaluate("Object.keys(localStorage).join()")).toBe("jackfield-preferences");
  expect(await isTooWide(page)).toBe(false);
});

test("where a script does not arrive, the page says so and loads again when asked", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev");
  const { page } = visit;
  await page.getByRole("heading", { name: "Home", level: 1 }).waitFor();
  await page.route("**/assets/app-*.js", async (route) => await route.abort());

  await page.reload();
  const failure = page.getByRole("alert");
  await failure.getByText("The dashboard could not be loaded").waitFor();
  await expectAccessible(page);
  await page.unroute("**/assets/app-*.js");
  await failure.getByRole("button", { name: "Try again" }).click();

  await page.getByRole("heading", { name: "Home", level: 1 }).waitFor();
});
