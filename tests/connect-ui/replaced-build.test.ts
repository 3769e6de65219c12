import { randomBytes } from "node:crypto";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { readConfig, startServer } from "@jackfield/server";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { pageFolder } from "../../packages/connect-ui/assets.js";
import { createServerDatabase } from "../../packages/server/src/foundation/testing/index.ts";
import { type Api, apiOf } from "../journeys/api.ts";
import { makeDataFolder } from "../launcher/data-folder.ts";
import { closeBrowser, ofItsOwn, startVisit } from "./browser.ts";

// A connect page that was opened before the server was replaced by one with another build of the page, and one that is
// opened while both builds answer.

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/** A title of the page in the next build, in German: texts of other languages lie in files of their own. */
const NEXT_TITLE = "Konto der nächsten Fassung";
const german = { ...ofItsOwn, locale: "de-DE" } as const;
const apiKey = crypto.randomUUID();

let next: URL;
let env: Readonly<Record<string, string>>;
const stack = new AsyncDisposableStack();
beforeAll(async () => {
  next = await buildNext();
});
beforeEach(async () => {
  const database = stack.use(await createServerDatabase());
  env = {
    SVC_DATABASE_URL: database.connectionString,
    SVC_BOOTSTRAP_KEY: apiKey,
    SVC_ENCRYPTION_KEY: randomBytes(32).toString("base64"),
  };
});
afterAll(async () => {
  await closeBrowser();
  await stack.disposeAsync();
  await rm(next, { recursive: true });
});

/** As the build of the package, with texts that differ: what depends on them has other names. */
async function buildNext(): Promise<URL> {
  const root = new URL("../../packages/connect-ui/", import.meta.url);
  const vite = createRequire(new URL("package.json", root)).resolve("vite");
  const { build } = await import(pathToFileURL(vite).href);
  const folder = await mkdtemp(join(tmpdir(), "jackfield-connect-build-"));
  const change = {
    name: "next-build",
    transform: (code: string, id: string) => {
      if (id.endsWith("texts/german.ts")) {
        return code.replace(/\bchooseTitle: "[^"]*"/, `chooseTitle: "${NEXT_TITLE}"`);
      }
      return id.endsWith("start-page.tsx") ? `${code}\nwindow.isNextBuild = true;` : code;
    },
  };
  await build({
    root: fileURLToPath(root),
    logLevel: "error",
    plugins: [change],
    build: { outDir: folder },
  });
  return pathToFileURL(`${folder}/`);
}

async function start(build: URL, port = 0) {
  const folder = await makeDataFolder();
  const { config, problems } = readConfig({
    ...env,
    SVC_DATA_DIR: folder.path,
    SVC_DATABASE_POOLED: "false",
    SVC_PORT: String(port),
    SVC_LOG_LEVEL: "silent",
    SVC_SIMULATOR: "off",
  });
  if (config === undefined) throw new Error(problems.join("\n"));
  const server = await startServer({ config, connectBuild: build });
  return {
    url: server.url,
    api: apiOf(server.url, apiKey),
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

async function newLink(api: Api): Promise<string> {
  for (const [key, name] of [
    ["ledger", "Ledger"],
    ["quay", "Quay"],
  ]) {
    const integration_config = { base_url: "https://ledger.example.com" };
    const named = { unique_key: key, display_name: name };
    const body = { provider: "private-api-bearer", ...named, integration_config };
    await api("POST", "/integrations", { body });
  }
  const answer = await api("POST", "/connect/sessions", { body: {} });
  return answer.body.data.connect_link;
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

async function connectLedger(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Ledger" }).click();
  await page.getByLabel("Token", { exact: true }).fill("secret");
  await page.getByRole("button", { name: "Verbinden", exact: true }).click();
  await page.getByRole("heading", { name: "Ledger ist verbunden" }).waitFor();
}

test("an end user finishes on a page that was opened before an upgrade", async (context) => {
  const first = await start(pageFolder);
  await using visit = await startVisit(context, german);
  const { page } = visit;
  const link = await newLink(first.api);
  // The connection is slow: the page is there, its texts are not.
  const isReplaced = Promise.withResolvers<undefined>();
  await page.route(/\/assets\/german-/, async (route) => {
    await isReplaced.promise;
    await route.continue();
  });
  const files = watchFiles(page);
  await page.goto(link, { waitUntil: "commit" });
  const asked = await page.waitForRequest(/\/assets\/german-/);

  await first[Symbol.asyncDispose]();
  await using second = await start(next, Number(new URL(first.url).port));
  isReplaced.resolve(undefined);
  await page.getByRole("listitem").first().waitFor();
  await connectLedger(page);

  const ofNext = await namesIn(next);
  expect(ofNext).not.toContain(new URL(asked.url()).pathname.split("/").at(-1));
  expect([...files].filter(([, status]) => status !== 200)).toEqual([]);
  expect(await page.evaluate("document.documentElement.lang")).toBe("de");
  const listed = await second.api("GET", "/connections");
  expect(listed.body.connections).toHaveLength(1);
});

test("while both builds answer, each page gets its files from the process of the other", async (context) => {
  await using old = await start(pageFolder);
  await using young = await start(next);
  for (const [from, filesFrom] of [
    [young, old],
    [old, young],
  ] as const) {
    await using visit = await startVisit(context, german);
    const { page } = visit;
    const files = watchFiles(page);
    // The page and its answers come from one build, and each file from the other: the worst that a balancer does.
    await page.route(/\/assets\//, async (route) => {
      const { pathname } = new URL(route.request().url());
      const answer = await route.fetch({ url: `${filesFrom.url}${pathname}` });
      await route.fulfill({ response: answer });
    });

    const link = new URL(await newLink(from.api));
    await page.goto(`${from.url}${link.pathname}${link.search}`);
    await page.getByRole("listitem").first().waitFor();
    const isNext = await page.evaluate("window.isNextBuild === true");
    await connectLedger(page);

    const ofOther = await namesIn(filesFrom === young ? next : pageFolder);
    const foreign = [...files].filter(([name]) => !ofOther.includes(name));
    expect(foreign.length).toBeGreaterThan(1);
    expect([...files].filter(([, status]) => status !== 200)).toEqual([]);
    expect(isNext).toBe(from === young);
  }
});
