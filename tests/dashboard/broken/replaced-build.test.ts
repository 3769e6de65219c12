import { randomBytes } from "node:crypto";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { readConfig, startServer } from "@jackfield/server";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { pageFolder } from "../../../packages/dashboard/assets.js";
import { administer } from "../../../packages/server/src/foundation/testing/administer.ts";
import { createServerDatabase } from "../../../packages/server/src/foundation/testing/index.ts";
import { closeBrowser, ofItsOwn } from "../../connect-ui/browser.ts";
import { makeDataFolder } from "../../launcher/data-folder.ts";
import { type PeopleUnderTest, startPeople } from "../../people/people-under-test.ts";
import { addConnections } from "../fill-environment.ts";
import { dashboardOf, openAsOwner } from "../open-dashboard.ts";

// A page that was opened before the server was replaced by one with another build of it, and one that was opened while
// both builds answer.

vi.setConfig({ testTimeout: 180_000, hookTimeout: 240_000 });

/** The title of a screen, in the next build. */
const NEXT_TITLE = "Keys of the next build";
const MORE_THAN_A_MINUTE_MS = 61_000;

let next: URL;
let database: Awaited<ReturnType<typeof createServerDatabase>>;
let env: Readonly<Record<string, string>>;
let people: PeopleUnderTest;
let isPeopleUp = false;
const stack = new AsyncDisposableStack();

beforeAll(async () => {
  next = await buildNext();
});
afterAll(async () => {
  await closeBrowser();
  await stack.disposeAsync();
  await rm(next, { recursive: true });
});

beforeEach(async () => {
  database = await createServerDatabase();
  const key = randomBytes(32).toString("base64");
  env = { SVC_DATABASE_URL: database.connectionString, SVC_ENCRYPTION_KEY: key };
  people = await startPeople(env);
  isPeopleUp = true;
  await addConnections(await people.owner(), "dev", ["ada"]);
});
afterEach(async () => {
  await stopFirst();
  await database[Symbol.asyncDispose]();
});

async function stopFirst(): Promise<void> {
  if (isPeopleUp) await people[Symbol.asyncDispose]();
  isPeopleUp = false;
}

/** As the build of the package, with one text that differs: what depends on it has other names. */
async function buildNext(): Promise<URL> {
  const root = new URL("../../../packages/dashboard/", import.meta.url);
  const vite = createRequire(new URL("package.json", root)).resolve("vite");
  const { build } = await import(pathToFileURL(vite).href);
  const folder = await mkdtemp(join(tmpdir(), "jackfield-build-"));
  const change = {
    name: "next-build",
    transform: (code: string, id: string) =>
      id.endsWith("texts/english/keys.ts") ? code.replace('"API keys"', `"${NEXT_TITLE}"`) : code,
  };
  await build({
    root: fileURLToPath(root),
    logLevel: "error",
    plugins: [change],
    build: { outDir: folder },
  });
  return pathToFileURL(`${folder}/`);
}

/** A server of the next build on the same database. */
async function startNext(port: number) {
  const folder = await makeDataFolder();
  const { config, problems } = readConfig({
    ...env,
    SVC_DATA_DIR: folder.path,
    SVC_DATABASE_POOLED: "false",
    SVC_PORT: String(port),
    SVC_LOG_LEVEL: "silent",
  });
  if (config === undefined) throw new Error(problems.join("\n"));
  const server = await startServer({ config, dashboardBuild: next });
  return {
    url: server.url,
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** Addresses of files that the page asks for from now on, with the status of each answer. */
function watchFiles(page: Page): Map<string, number> {
  const seen = new Map<string, number>();
  page.on("response", (answer) => {
    const { pathname } = new URL(answer.url());
    if (pathname.includes("/assets/")) seen.set(pathname.split("/").at(-1) ?? "", answer.status());
  });
  return seen;
}

async function namesIn(folder: URL): Promise<readonly string[]> {
  return await readdir(new URL("assets/", folder));
}

test("after an upgrade, screens that an open page has not shown yet come from the build that it began with", async (context) => {
  await using visit = await openAsOwner(context, people, "/dev/connections", ofItsOwn);
  const { page } = visit;
  await page.getByRole("cell", { name: "ada" }).first().waitFor();
  await page.evaluate("window.isSamePage = true");
  const files = watchFiles(page);

  const port = Number(new URL(people.url).port);
  await stopFirst();
  await using _server = await startNext(port);
  await page.getByRole("link", { name: "API keys" }).click();
  await page.getByRole("heading", { level: 1, name: "API keys" }).waitFor();
  await page.getByRole("link", { name: "Metrics" }).click();
  await page.locator(".recharts-surface").first().waitFor();

  const ofNext = await namesIn(next);
  const onlyOld = [...files].filter(([name]) => !ofNext.includes(name));
  expect(onlyOld.length).toBeGreaterThan(3);
  expect(onlyOld.filter(([, status]) => status !== 200)).toEqual([]);
  expect(await page.evaluate("window.isSamePage")).toBe(true);
  // What it says of itself meanwhile.
  await page.getByText("What is open still works.").waitFor();
  await page.getByRole("button", { name: "Reload" }).click();
  await page.locator(".recharts-surface").first().waitFor();
  await page.getByRole("link", { name: "API keys" }).click();
  await page.getByRole("heading", { level: 1, name: NEXT_TITLE }).waitFor();
});

test("while both builds answer, a page of the next one gets its files from a process of the one before", async (context) => {
  await using server = await startNext(0);
  await using visit = await openAsOwner(context, people, "/sign-in", ofItsOwn);
  const { page } = visit;
  const files = watchFiles(page);
  // The page and its answers come from the next build, and each file from the one before: the worst that a balancer does.
  await page.route(/\/assets\//, async (route) => {
    const { pathname } = new URL(route.request().url());
    const answer = await route.fetch({ url: `${people.url}${pathname}` });
    await route.fulfill({ response: answer });
  });

  await page.goto(`${dashboardOf(server)}/dev/keys`);
  await page.getByRole("heading", { level: 1, name: NEXT_TITLE }).waitFor();
  await page.getByRole("link", { name: "Connections" }).click();
  await page.getByRole("cell", { name: "ada" }).first().waitFor();

  const ofOld = await namesIn(pageFolder);
  const onlyNext = [...files].filter(([name]) => !ofOld.includes(name));
  expect(onlyNext.length).toBeGreaterThan(5);
  expect(onlyNext.filter(([, status]) => status !== 200)).toEqual([]);
});

test("once the files are gone, an open page loads the screen again, once; an editor without its code is a plain field", async (context) => {
  await using visit = await openAsOwner(context, people, "/sign-in", ofItsOwn);
  const { page } = visit;
  await page.clock.install();
  await page.goto(`${dashboardOf(people)}/dev/playground?integration=open&connection=ada`);
  await page.getByRole("heading", { level: 1, name: "Playground" }).waitFor();
  await page.evaluate("window.isSamePage = true");
  await page.clock.runFor(MORE_THAN_A_MINUTE_MS);

  const port = Number(new URL(people.url).port);
  await stopFirst();
  await using _server = await startNext(port);
  await administer(database.connectionString, "delete from dashboard_files");
  await page.getByRole("link", { name: "Proxy request" }).first().click();
  const headers = page.getByRole("textbox", { name: "Headers" });
  await headers.fill('{"kept": "yes"}');
  const isPlain = await headers.evaluate((field) => field.tagName);
  const isSame = await page.evaluate("window.isSamePage");
  await page.getByRole("link", { name: "API keys" }).click();
  await page
    .getByText("The code of this screen did not arrive. The page tries again every 10 s.")
    .waitFor();
  await page.clock.runFor(11_000);

  await page.getByRole("heading", { level: 1, name: NEXT_TITLE }).waitFor();
  expect([isPlain, isSame]).toEqual(["TEXTAREA", true]);
  expect(await page.evaluate("window.isSamePage")).toBe(undefined);
  expect(new URL(page.url()).pathname).toBe("/dashboard/dev/keys");
  // A page that has just been loaded does not do so again: its clock is the real one.
  await using young = await openAsOwner(context, people, "/dev/keys", ofItsOwn);
  await young.page.route(/\/assets\/.*\.js/, async (route) => await route.abort());
  await young.page.getByRole("link", { name: "Problems", exact: true }).click();
  await young.page.getByText(/^The code of this screen did not arrive\.\s*$/).waitFor();
});
