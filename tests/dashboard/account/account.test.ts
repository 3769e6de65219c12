import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import {
  CLIENT,
  type IdentityProvider,
  startIdentityProvider,
} from "../../../packages/server/src/people/sso/testing/identity-provider.ts";
import { closeBrowser, startVisit } from "../../connect-ui/browser.ts";
import { type PeopleUnderTest, startPeople } from "../../people/people-under-test.ts";
import { addConnections } from "../fill-environment.ts";
import {
  dashboardOf,
  expectAccessible,
  isTooWide,
  openAsOwner,
  openAsRole,
} from "../open-dashboard.ts";

vi.setConfig({ testTimeout: 90_000 });

let people: PeopleUnderTest;
let vendor: IdentityProvider;
const redirectUris: string[] = [];
beforeAll(async () => {
  vendor = await startIdentityProvider(redirectUris);
  people = await startPeople();
  const owner = await people.owner();
  await addConnections(owner, "dev", ["alpha", "beta"]);
});
afterAll(async () => {
  await closeBrowser();
  await people[Symbol.asyncDispose]();
  await vendor[Symbol.asyncDispose]();
});

const emmy = {
  sub: "p1",
  email: "emmy@example.com",
  email_verified: true,
  name: "Emmy Noether",
};

async function saved(page: Page, click: () => Promise<void>): Promise<string> {
  const [download] = await Promise.all([page.waitForEvent("download"), click()]);
  return readFileSync(await download.path(), "utf8");
}

test("changes are listed with who made them, narrowed, opened and exported", async (context) => {
  await using visit = await openAsOwner(context, people, "/audit");
  const { page } = visit;

  await page.getByRole("cell", { name: "createConnection" }).first().waitFor();
  await page.getByText(/Sealed up to seal \d+/).click();
  await page.getByRole("button", { name: "Copy the seal" }).waitFor();
  await expectAccessible(page);
  await page.keyboard.press("/");
  await page.getByPlaceholder("Action, such as createApiKey").fill("createConnection");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/audit?q=createConnection");
  await page.getByRole("cell", { name: "createIntegration" }).waitFor({ state: "detached" });
  await page.locator("a[data-row='0']").focus();
  await page.keyboard.press("Enter");
  const panel = page.getByRole("complementary");
  await panel.getByText("Fields that were sent").waitFor();
  await expectAccessible(page);
  const lines = await saved(page, () =>
    page.getByRole("button", { name: "Export as JSON lines" }).click(),
  );
  const table = await saved(page, () =>
    page.getByRole("button", { name: "Export as CSV" }).click(),
  );
  await panel.getByRole("link", { name: "Only what they did" }).click();
  await page.getByText(/Who \(id\): /).waitFor();
  await page.getByRole("cell", { name: "createIntegration" }).waitFor();
  await page.setViewportSize({ width: 360, height: 780 });

  expect(lines.trim().split("\n")).toHaveLength(2);
  expect(JSON.parse(lines.split("\n")[0] ?? "")).toMatchObject({ action: "createConnection" });
  expect(table).toContain("createConnection");
  expect(await isTooWide(page)).toBe(false);
});

test("the end of the chain is followed when somebody looks at the page again", async (context) => {
  const owner = await people.owner();
  const headOf = async () => Number((await owner.call("GET", "/audit/head")).body.data.seal_id);
  await using visit = await openAsOwner(context, people, "/audit");
  const { page } = visit;
  const shown = async () =>
    Number(/seal (\d+)/.exec(String(await page.getByText(/Sealed up to seal/).textContent()))?.[1]);
  const before = await shown();

  await owner.call("PUT", "/environment-variables/X", { environment: "dev", body: { value: "1" } });
  await expect.poll(headOf).toBeGreaterThan(before);
  const meanwhile = await shown();
  // What a browser announces when its window is looked at.
  await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))");

  await expect.poll(shown).toBeGreaterThan(before);
  expect(meanwhile).toBe(before);
});

test("filters that let nothing through are taken away; a role without the right is refused", async (context) => {
  await using visit = await openAsOwner(context, people, "/audit?q=nothing");
  await visit.page.getByText("Nothing matches these filters").waitFor();
  await visit.page.getByRole("button", { name: "Remove all filters" }).click();
  await visit.page.getByRole("cell", { name: "createIntegration" }).waitFor();
  await using developer = await openAsRole(context, people, "developer", "/audit");

  await developer.page.getByRole("alert").getByText("forbidden", { exact: true }).waitFor();
  await expectAccessible(developer.page);
});

test("an identity provider is set up, people sign in with it, and it is switched off", async (context) => {
  await using visit = await openAsOwner(context, people, "/sso");
  const { page } = visit;
  await page.getByText("Single sign-on is off").waitFor();
  await expectAccessible(page);

  await page.getByLabel("Name on the sign-in page").fill("Acme");
  await page.getByLabel("Issuer").fill(vendor.issuer);
  await page.getByLabel("Client ID").fill(CLIENT.id);
  await page.getByLabel("Client secret").fill(CLIENT.secret);
  await page.getByRole("button", { name: "Add a right" }).click();
  await page.getByRole("button", { name: "Add a group" }).click();
  await page.getByLabel("Group", { exact: true }).fill("platform");
  await expectAccessible(page);
  await page.getByRole("button", { name: "Save", exact: true }).click();
  const uri = await page.getByText(/\/auth\/oidc\/.*\/callback/).textContent();
  redirectUris.splice(0, 1, String(uri));
  await using other = await startVisit(context);
  // The provider's pages are walked through for the browser, which comes back with what they answer.
  await other.page.route("**/auth/oidc/*", async (route) => {
    const begun = await route.fetch({ maxRedirects: 0 });
    const location = await vendor.signIn(begun.headers()["location"] ?? "", emmy);
    await route.fulfill({ response: begun, headers: { ...begun.headers(), location } });
  });
  await other.page.goto(`${dashboardOf(people)}/sign-in`);
  await expectAccessible(other.page);
  await other.page.getByRole("link", { name: "Sign in with Acme" }).click();
  await other.page.getByRole("button", { name: "Emmy Noether" }).waitFor();
  await page.getByRole("button", { name: "Switch off" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Switch off" }).click();

  await page.getByText("Single sign-on is off").waitFor();
});

test("who came back from the identity provider without success reads why", async (context) => {
  await using visit = await startVisit(context);
  const { page } = visit;

  await page.goto(
    `${dashboardOf(people)}/sign-in?error=sign_in_failed&message=The%20sign-in%20was%20begun%20in%20another%20browser`,
  );

  await page.getByText("The sign-in was begun in another browser").waitFor();
  await expectAccessible(page);
});

test("the installation says how it does, to those who may know", async (context) => {
  await using visit = await openAsOwner(context, people, "/installation");
  const { page } = visit;

  await page.getByRole("row", { name: /alive/ }).waitFor();
  await page.getByText(/migrations, the last/).waitFor();
  await page
    .getByRole("row", { name: /operation_messages \d+ days, \d{4}-.* complete empty/ })
    .waitFor();
  await page.getByText("refused, except those that are open").waitFor();
  await page.getByText("None since this process started.").waitFor();
  await expectAccessible(page);
  await page.setViewportSize({ width: 360, height: 780 });
  const isWide = await isTooWide(page);
  await using support = await openAsRole(context, people, "support", "/installation");

  await support.page.getByRole("alert").getByText("forbidden", { exact: true }).waitFor();
  expect(isWide).toBe(false);
});
