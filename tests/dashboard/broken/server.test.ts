import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createServerDatabase } from "../../../packages/server/src/foundation/testing/index.ts";
import { closeBrowser } from "../../connect-ui/browser.ts";
import { type Line, openLineTo } from "../../outages/line.ts";
import { type PeopleUnderTest, startPeople } from "../../people/people-under-test.ts";
import { addConnections } from "../fill-environment.ts";
import { dashboardOf, expectAccessible, isTooWide, openAsOwner } from "../open-dashboard.ts";

// What the screens say when the server, or its database, does not answer, and when the page is older than it.

vi.setConfig({ testTimeout: 180_000, hookTimeout: 240_000 });

let people: PeopleUnderTest;
let database: Awaited<ReturnType<typeof createServerDatabase>>;
/** Between the server and its database. */
let line: Line;

beforeAll(async () => {
  database = await createServerDatabase();
  const opened = await openLineTo(database.connectionString);
  line = opened.line;
  people = await startPeople({ SVC_DATABASE_URL: opened.url });
  await addConnections(await people.owner(), "dev", ["ada", "bob"]);
});
afterAll(async () => {
  await closeBrowser();
  await people[Symbol.asyncDispose]();
  await line[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

test("while the database is away the page stays, says since when and of when it is, and comes back", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/connections");
  const { page } = visit;
  await page.getByRole("cell", { name: "ada" }).first().waitFor();

  line.refuse();
  try {
    await page.getByRole("link", { name: "API keys" }).click();
    await page.getByText(/The server has answered 503 since/).waitFor();
    // Nothing of this screen was read.
    await expect.poll(async () => await page.getByText("You see data of").count()).toBe(0);
    await page.getByRole("link", { name: "Integrations" }).click();
    await page.getByRole("link", { name: "Connections" }).click();
    await page
      .getByText(/The server has answered 503 since \d.*: it or its database is not available\./)
      .waitFor();
    await page.getByText(/You see data of \d.* The page tries again every 10 s\./).waitFor();
    await page.getByRole("cell", { name: "ada" }).first().waitFor();
    expect(await page.locator("main").getAttribute("data-stale")).toBe("true");
    await expectAccessible(page);
    await page.setViewportSize({ width: 360, height: 780 });
    expect(await isTooWide(page)).toBe(false);
  } finally {
    line.resume();
  }
  await page.getByRole("button", { name: "Try now" }).click();

  await page.getByText("The server has answered 503").waitFor({ state: "detached" });
  expect(await page.locator("main").getAttribute("data-stale")).toBe("false");
});

test("a page that is opened while the database is away says so, and begins once it is back", async (context) => {
  await using visit = await openAsOwner(context, people, "/profile");
  const { page } = visit;
  await page.getByRole("heading", { level: 1, name: "Profile" }).waitFor();

  line.refuse();
  try {
    await page.goto(`${dashboardOf(people)}/dev/connections`);
    await page
      .getByRole("heading", { name: "The server is not available at the moment" })
      .waitFor();
    await page.getByText(/The page tries again every 10 s\./).waitFor();
    await expectAccessible(page);
  } finally {
    line.resume();
  }

  await page.getByRole("cell", { name: "ada" }).first().waitFor();
});

test("a page that is older than the server's says so, and is loaded again when asked", async (context) => {
  await using visit = await openAsOwner(context, people, "/sign-in");
  const { page } = visit;
  await page.clock.install();
  await page.goto(`${dashboardOf(people)}/dev/connections`);
  await page.getByRole("cell", { name: "ada" }).first().waitFor();
  // What a newer server sends: the same page, with a script of another name.
  await page.route("**/dashboard/", async (route) => {
    const answer = await route.fetch();
    const body = (await answer.text()).replace(/index-[\w-]+\.js/, "index-newer.js");
    await route.fulfill({ response: answer, body });
  });

  await page.clock.fastForward(2 * 60_000);
  await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
  await page
    .getByText("The server has a newer version of this page. What is open still works.")
    .waitFor();
  await expectAccessible(page);
  await page.getByRole("cell", { name: "ada" }).first().waitFor();
  await page.getByRole("button", { name: "Reload" }).click();

  await page.getByText("The server has a newer version").waitFor({ state: "detached" });
  await page.getByRole("cell", { name: "ada" }).first().waitFor();
});
