import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { closeBrowser } from "../../connect-ui/browser.ts";
import {
  type Browser,
  OWNER,
  type PeopleUnderTest,
  startPeople,
} from "../../people/people-under-test.ts";
import { deployFunction } from "../fill-environment.ts";
import { greet } from "../functions/greet.ts";
import {
  dashboardOf,
  expectAccessible,
  isTooWide,
  openAsOwner,
  openAsRole,
} from "../open-dashboard.ts";
import { addCrm, type OAuthProvider, startOAuthProvider } from "./oauth-provider.ts";

vi.setConfig({ testTimeout: 90_000 });

const environment = "dev";
const TOKEN = "canary-of-an-access-token";
const path = "/dev/connections/crm/ada/credentials";

let people: PeopleUnderTest;
let owner: Browser;
let provider: OAuthProvider;
beforeAll(async () => {
  provider = await startOAuthProvider({
    ...{ access_token: TOKEN, refresh_token: "canary-of-a-refresh-token" },
    ...{ expires_in: 3600, scope: "read profile" },
  });
  people = await startPeople();
  owner = await people.owner();
  await addCrm(owner, environment, provider);
  await call("POST", "/connections", {
    ...{ provider_config_key: "crm", connection_id: "ada", tags: { end_user_id: "u-ada" } },
    credentials: { type: "OAUTH2", access_token: "old", refresh_token: "older" },
  });
  await call("POST", "/connections/ada/refresh?provider_config_key=crm");
  const code = greet("Hello").replace(
    "createAction({",
    'createAction({ scopes: ["contacts.read"],',
  );
  const source = { type: "action", name: "greet", code, integration: "crm" } as const;
  await deployFunction(owner, environment, source);
}, 120_000);
afterAll(async () => {
  await closeBrowser();
  await people[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
});

async function call(method: string, address: string, body?: object) {
  const given = body === undefined ? {} : { body };
  const answer = await owner.call(method, address, { environment, ...given });
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer;
}

/** All that stays of a page: what it shows and stores, its address, and what a step back would show. */
async function keptBy(page: Page): Promise<string> {
  return String(
    await page.evaluate(
      "document.documentElement.outerHTML + location.href + JSON.stringify([{ ...localStorage }, { ...sessionStorage }, history.state])",
    ),
  );
}

const access = (page: Page) => page.getByRole("button", { name: "Value of access_token Reveal" });

test("a field is revealed after a proof of identity, and hidden again by hand, when the window is left and with the page", async (context) => {
  await using visit = await openAsOwner(context, people, path);
  const { page } = visit;
  const logged: string[] = [];
  page.on("console", (message) => logged.push(message.text()));
  await access(page).waitFor();
  await expectAccessible(page);
  const before = await keptBy(page);
  await people.database.pool.query("update user_sessions set elevated_until = null");

  await access(page).press("Enter");
  await page.getByLabel("Your password").fill(OWNER.password);
  await page.keyboard.press("Enter");
  await page.getByText(TOKEN, { exact: true }).waitFor();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Hide" }).press("Enter");
  await page.getByText(TOKEN, { exact: true }).waitFor({ state: "detached" });
  await access(page).press("Enter");
  await page.getByText(TOKEN, { exact: true }).waitFor();
  await page.evaluate("window.dispatchEvent(new Event('blur'))");
  await page.getByText(TOKEN, { exact: true }).waitFor({ state: "detached" });
  const hidden = await keptBy(page);
  await access(page).press("Enter");
  await page.getByText(TOKEN, { exact: true }).waitFor();
  const shown = await keptBy(page);
  await page.getByRole("link", { name: "Overview" }).click();
  await page.getByText("Latest operations").waitFor();
  const left = await keptBy(page);
  await page.goBack();
  await access(page).waitFor();
  const back = await keptBy(page);

  // What is looked for would be found.
  expect(shown).toContain(TOKEN);
  for (const kept of [before, hidden, left, back]) expect(kept).not.toContain("canary");
  expect(logged.join()).not.toContain("canary");
  const { body } = await owner.call("GET", "/audit?limit=100");
  const reveals = body.data.filter(({ action }: { action: string }) => /reveal/i.test(action));
  expect(reveals.length).toBeGreaterThanOrEqual(3);
  expect(JSON.stringify(body)).not.toContain("canary");
});

test("a field is copied without being shown, and a call that is refused says why", async (context) => {
  const permissions = ["clipboard-read", "clipboard-write"];
  await using visit = await openAsOwner(context, people, path, { permissions });
  const { page } = visit;
  const copy = page.getByRole("button", { name: "Value of access_token Copy" });
  const shown: string[] = [];
  await copy.waitFor();

  await copy.press("Enter");
  await page.getByRole("button", { name: "Value of access_token Copied" }).waitFor();
  shown.push(await keptBy(page));
  await copy.waitFor();
  shown.push(await keptBy(page));
  const clipboard = await page.evaluate("navigator.clipboard.readText()");
  await page.route("**/reveal?**", (route) => route.abort());
  await copy.press("Enter");
  await page.getByRole("alert").waitFor();
  await expectAccessible(page);

  expect(clipboard).toBe(TOKEN);
  for (const kept of shown) expect(kept).not.toContain("canary");
});

test("a revealed field is hidden after 30 seconds by itself", async (context) => {
  await using visit = await openAsOwner(context, people, path);
  const { page } = visit;
  await access(page).waitFor();
  await page.clock.install();
  await access(page).click();
  await page.getByText(TOKEN, { exact: true }).waitFor();

  await page.clock.runFor(29_000);
  const isShown = await page.getByText(TOKEN, { exact: true }).isVisible();
  await page.clock.runFor(2000);
  await page.getByText(TOKEN, { exact: true }).waitFor({ state: "detached" });

  expect(isShown).toBe(true);
});

test("version, times and scopes are shown; what is missing is marked, with a link to reconnect", async (context) => {
  await using visit = await openAsOwner(context, people, path, {
    viewport: { width: 360, height: 780 },
  });
  const { page } = visit;
  const rowOf = (scope: string) =>
    page.getByRole("region", { name: "Scopes" }).getByRole("row", { name: scope });

  await page.getByText("2, one more with each renewal").waitFor();
  await page.getByText("OAuth 2.0", { exact: true }).waitFor();
  await rowOf("read the integration").getByText("granted").waitFor();
  await rowOf("write the integration").getByText("missing").waitFor();
  await rowOf("contacts.read greet").getByText("missing").waitFor();
  await page.getByText("Also granted: profile").waitFor();
  const banner = page.locator(".banner", { hasText: "2 scopes are missing" });
  await expectAccessible(page);
  const isWide = await isTooWide(page);
  await banner.getByRole("button", { name: "New reconnect link" }).press("Enter");
  await page.getByText(/\/connect\/\?session_token=/).waitFor();

  expect(isWide).toBe(false);
});

test("a role without the scope cannot reveal and reads why", async (context) => {
  await using visit = await openAsRole(context, people, "read-only", path);
  const { page } = visit;

  await access(page).waitFor();
  await access(page).focus();
  await page
    .getByRole("tooltip")
    .filter({ hasText: "environment:connections:read_credentials" })
    .first()
    .waitFor();
  await page.keyboard.press("Enter");
  await expectAccessible(page);

  expect(await page.getByText(TOKEN).count()).toBe(0);
});

test("a frozen connection offers no reveal, and one that is gone says so", async (context) => {
  await call("POST", "/connections", {
    ...{ provider_config_key: "crm", connection_id: "frozen" },
    credentials: { type: "OAUTH2", access_token: "canary-of-a-frozen-token" },
  });
  await people.database.pool.query(
    "update connections set frozen_by = gen_random_uuid(), frozen_at = now() where connection_id = 'frozen'",
  );
  await using visit = await openAsOwner(context, people, "/dev/connections/crm/frozen/credentials");
  const { page } = visit;

  await page.getByText("nobody can reveal its credentials").waitFor();
  const reveals = await page.getByRole("button", { name: /Reveal/ }).count();
  await page.goto(`${dashboardOf(people)}/dev/connections/crm/nobody/credentials`);
  await page.getByText("This connection does not exist").waitFor();

  expect(reveals).toBe(0);
});
