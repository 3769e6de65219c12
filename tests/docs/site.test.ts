import axe from "axe-core";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { closeBrowser, startVisit } from "../connect-ui/browser.ts";
import { findFreePort, startReverseProxy } from "../connect-ui/reverse-proxy.ts";
import { makeDataFolder } from "../launcher/data-folder.ts";
import { type PlatformProcess, startPlatformProcess } from "../launcher/platform-process.ts";
import { buildSite } from "./built-site.ts";

const stack = new AsyncDisposableStack();
let platform: PlatformProcess;
let address: string;

beforeAll(async () => {
  await buildSite();
  const port = await findFreePort();
  const target = `http://127.0.0.1:${port}`;
  const proxy = stack.use(await startReverseProxy({ target, path: "/tools/jackfield" }));
  const folder = stack.use(await makeDataFolder());
  const env = { SVC_PORT: String(port), SVC_SERVER_URL: proxy.url };
  platform = await startPlatformProcess({ dataDir: folder.path, env });
  stack.defer(async () => {
    await platform.stop();
  });
  address = proxy.url;
}, 400_000);
afterAll(async () => {
  await closeBrowser();
  await stack.disposeAsync();
});

const pages = ["", "quick-start", "concepts", "errors", "providers/hubspot", "configuration"];

test.for(["light", "dark"] as const)(
  "pages have no fault that axe finds, in %s, and do nothing that their policy forbids",
  { timeout: 200_000 },
  async (colorScheme, t) => {
    const faults: string[] = [];
    for (const width of [1280, 390]) {
      await using visit = await startVisit(t, { colorScheme, viewport: { width, height: 900 } });
      for (const name of pages) {
        await visit.page.goto(`${address}/docs/${name}`);
        await visit.page.waitForLoadState("networkidle");
        // Only colours differ between themes.
        const found = await findFaults(visit.page, colorScheme === "dark" ? "color-contrast" : "");
        faults.push(...found.map((fault) => `${name} ${width}: ${fault}`));
      }
    }

    expect(faults).toEqual([]);
  },
);

test("the search finds a provider and a setting, below a path of a shared host", async (t) => {
  await using visit = await startVisit(t);
  const { page } = visit;
  await page.goto(`${address}/docs/`);

  await page.getByRole("button", { name: "Search" }).first().click();
  await page.getByRole("searchbox").fill("zendesk");
  await page
    .getByRole("option", { name: /Zendesk/ })
    .first()
    .click();
  await page.waitForURL(/\/tools\/jackfield\/docs\/providers\/zendesk/);
  await page.getByRole("heading", { level: 1, name: "Zendesk" }).waitFor();
  const asMarkdown = page.getByRole("link", { name: "This page as Markdown" });
  const markdown = await fetch(new URL((await asMarkdown.getAttribute("href")) ?? "", page.url()));

  expect(markdown.headers.get("content-type")).toBe("text/markdown; charset=utf-8");
  expect(await markdown.text()).toMatch(/^# Zendesk/);
});

test.each([
  ["/docs", 308],
  ["/docs/", 200],
  ["/docs/cli", 200],
  ["/docs/cli.html", 200],
  ["/docs/cli.md", 200],
  ["/docs/llms.txt", 200],
  ["/docs/api", 200],
  ["/docs/no-such-page", 404],
  ["/docs/.stamp", 404],
  ["/docs/%2e%2e/package.json", 404],
  ["/docs/assets/..%2f..%2fpackage.json", 404],
])("%s is answered with %i", async (path, status) => {
  const answer = await fetch(`${platform.url}${path}`, { redirect: "manual" });

  expect(answer.status).toBe(status);
});

/** What axe finds, one line for each kind of fault; by one rule where it is named. */
async function findFaults(page: Page, rule: string): Promise<string[]> {
  await page.evaluate(axe.source);
  const options = rule === "" ? "" : `{ runOnly: "${rule}" }`;
  const { violations } = await page.evaluate<axe.AxeResults>(`axe.run(${options})`);
  return violations.map(({ id, nodes }) => `${id} ${nodes[0]?.html.slice(0, 120)}`);
}
