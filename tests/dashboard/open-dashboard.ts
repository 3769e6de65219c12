import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { BrowserContextOptions, Page } from "playwright-core";
import { expect, type TestContext } from "vitest";
import { startVisit, type Visit } from "../connect-ui/browser.ts";
import { OWNER, type PeopleUnderTest } from "../people/people-under-test.ts";

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
  const owner = await people.owner();
  const visit = await startVisit(test, options);
  const origin = new URL(dashboardOf(people)).origin;
  await visit.page
    .context()
    .addCookies(
      [...owner.cookies].map(([name, value]) => ({ name, value, url: origin, sameSite: "Strict" })),
    );
  await visit.page.goto(`${dashboardOf(people)}${path}`);
  return visit;
}

/** Fails for what a person who does not see or point cannot use; in both themes. */
export async function expectAccessible(page: Page): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await findViolations(page)).toEqual([]);
  }
  await page.emulateMedia({ colorScheme: null });
}

/** By the debugger, since the page's policy lets no script in from elsewhere. */
async function findViolations(page: Page): Promise<unknown> {
  const session = await page.context().newCDPSession(page);
  await session.send("Runtime.evaluate", { expression: axe });
  const { result } = await session.send("Runtime.evaluate", {
    expression: `axe.run(${JSON.stringify(scope)}, { runOnly: ${JSON.stringify(rules)} }).then(({ violations }) => violations.map(({ id, nodes }) => id + " " + nodes.map(({ target }) => target.join(" ")).join(", ")))`,
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
  await page.getByRole("button", { name: "Sign in" }).click();
}
