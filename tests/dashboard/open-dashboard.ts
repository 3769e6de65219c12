import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { BrowserContextOptions, Page } from "playwright-core";
import { expect, type TestContext } from "vitest";
import { startVisit, type Visit } from "../connect-ui/browser.ts";
import { type Browser, OWNER, type PeopleUnderTest } from "../people/people-under-test.ts";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

// React Aria announces a pending button by its name, for seven seconds also after the button has gone.
const scope = { exclude: [["[data-live-announcer]"]] };
const rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

/** The dashboard's own address: where cookies of sessions hold. */
export function dashboardOf({ url }: Pick<PeopleUnderTest, "url">): string {
  return `${url.replace("127.0.0.1", "localhost")}/dashboard`;
}

/** A window in which the owner has signed in, at a path of the dashboard. */
export async function openAsOwner(
  test: TestContext,
  people: PeopleUnderTest,
  path: string,
  options: BrowserContextOptions = {},
): Promise<Visit> {
  return await openAs(test, { people, person: await people.owner(), path, options });
}

/** The same, of somebody who has this role everywhere, or in one environment. */
export async function openAsRole(
  test: TestContext,
  people: PeopleUnderTest,
  role: "support" | "read-only" | "developer" | "admin",
  path: string,
  environment?: string,
): Promise<Visit> {
  const owner = await people.owner();
  const email = `${crypto.randomUUID()}@example.com`;
  const { body: me } = await owner.call("GET", "/me");
  const own = me.data.environments.find(({ name }: { name: string }) => name === environment);
  const place =
    environment === undefined
      ? { environments: "all" }
      : { environments: "one", environment_id: own.id };
  const grants = [{ role, ...place }];
  const added = await owner.call("POST", "/users", { body: { email, name: role, grants } });
  const token = String(added.body.data.link.url).split("#")[1];
  const person = people.browser();
  const password = "looms count in punched cards";
  const joined = await person.call("POST", "/auth/links/redeem", { body: { token, password } });
  expect(joined.status).toBe(200);
  return await openAs(test, { people, person, path, options: {} });
}

async function openAs(
  test: TestContext,
  given: {
    readonly people: PeopleUnderTest;
    readonly person: Browser;
    readonly path: string;
    readonly options: BrowserContextOptions;
  },
): Promise<Visit> {
  const visit = await startVisit(test, given.options);
  const origin = new URL(dashboardOf(given.people)).origin;
  await visit.page.context().addCookies(
    [...given.person.cookies].map(([name, value]) => ({
      name,
      value,
      url: origin,
      sameSite: "Strict",
    })),
  );
  await visit.page.goto(`${dashboardOf(given.people)}${given.path}`);
  return visit;
}

/** Fails for what a person who does not see or point cannot use; in both themes. */
export async function expectAccessible(page: Page): Promise<void> {
  await page.emulateMedia({ colorScheme: "light" });
  expect(await findViolations(page, { values: rules })).toEqual([]);
  await page.emulateMedia({ colorScheme: "dark" });
  // Only colours differ between themes.
  expect(await findViolations(page, { type: "rule", values: ["color-contrast"] })).toEqual([]);
  await page.emulateMedia({ colorScheme: null });
}

/** What a person who does not see or point cannot use in one part of the page, in its theme. */
export async function findViolationsIn(page: Page, part: string): Promise<readonly string[]> {
  const found = await findViolations(page, { values: rules }, { ...scope, include: [[part]] });
  if (!Array.isArray(found)) throw new Error(`${part} was not looked at: ${String(found)}`);
  return found.map(String);
}

/** What is hard to read for those who ask their system for more contrast. */
export async function findWeakContrast(page: Page): Promise<unknown> {
  await page.emulateMedia({ contrast: "more" });
  const found = await findViolations(page, { type: "rule", values: ["color-contrast"] });
  await page.emulateMedia({ contrast: null });
  return found;
}

/** What appears fades in, and has too little contrast until it has. */
const settled =
  "Promise.allSettled(document.getAnimations().filter((each) => each.effect.getComputedTiming().endTime < Infinity).map((each) => each.finished))";

/** By the debugger, since the page's policy lets no script in from elsewhere. */
async function findViolations(
  page: Page,
  what: { readonly type?: "rule"; readonly values: readonly string[] },
  within: object = scope,
): Promise<unknown> {
  const runOnly = { type: "tag", ...what };
  const session = await page.context().newCDPSession(page);
  // Once for each document: reading it takes longer than a scan.
  const loaded = await session.send("Runtime.evaluate", { expression: "'axe' in window" });
  if (loaded.result.value !== true) await session.send("Runtime.evaluate", { expression: axe });
  const { result } = await session.send("Runtime.evaluate", {
    expression: `${settled}.then(() => axe.run(${JSON.stringify(within)}, { runOnly: ${JSON.stringify(runOnly)} }).then(({ violations }) => violations.map(({ id, nodes }) => id + " " + nodes.map(({ target }) => target.join(" ")).join(", "))))`,
    awaitPromise: true,
    returnByValue: true,
  });
  await session.detach();
  return result.value;
}

/** Whether the page can be moved sideways, which it never should. */
export async function isTooWide(page: Page): Promise<boolean> {
  return await page.evaluate("document.documentElement.scrollWidth > window.innerWidth");
}

/** Signs in on the page that is shown. */
export async function signIn(page: Page): Promise<void> {
  await page.getByLabel("E-mail address").fill(OWNER.email);
  await page.getByLabel("Password").fill(OWNER.password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}
