import { once } from "node:events";
import { cp, mkdtempDisposable, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import axe from "axe-core";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { closeBrowser, startVisit } from "../connect-ui/browser.ts";
import { buildSite } from "./built-site.ts";

const base = "/tools/manuals/";
const older = "0.1.0";
const stack = new AsyncDisposableStack();
let origin: string;
let current: string;

beforeAll(async () => {
  const out = stack.use(await mkdtempDisposable(join(tmpdir(), "jackfield-versions-")));
  await buildSite("--out", out.path, "--base", base, "--versions");
  const built = (await readdir(out.path, { withFileTypes: true })).find((it) => it.isDirectory());
  current = built?.name ?? "";
  await makeOlder(out.path);
  await buildSite("--out", out.path, "--base", base, "--versions");
  const policy = await readPolicy();
  origin = await serve(out.path, policy);
}, 400_000);
afterAll(async () => {
  await closeBrowser();
  await stack.disposeAsync();
});

/** The same site as one of an earlier version, which has no page on agents yet. */
async function makeOlder(folder: string): Promise<void> {
  const target = join(folder, older);
  await cp(join(folder, current), target, { recursive: true });
  for (const name of await readdir(target, { recursive: true })) {
    if (!/\.(?:html|js|css|md|txt|json)$/.test(name)) continue;
    const text = await readFile(join(target, name), "utf8");
    const addresses = text.replaceAll(`${base}${current}/`, `${base}${older}/`);
    await writeFile(join(target, name), addresses.replaceAll(current, older));
  }
  await rm(join(target, "agents.html"));
}

/** That of the platform, which a site of static files may have too. */
async function readPolicy(): Promise<string> {
  const file = "../../packages/server/src/status/send-docs-file.ts";
  const text = await readFile(new URL(file, import.meta.url), "utf8");
  const [, policy = ""] = /const policy =\s+"([^"]+)"/.exec(text) ?? [];
  expect(policy).toContain("script-src 'self'");
  return policy;
}

const types: Readonly<Record<string, string>> = {
  ...{ ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css" },
  ...{ ".json": "application/json", ".md": "text/markdown", ".svg": "image/svg+xml" },
};

async function serve(folder: string, policy: string): Promise<string> {
  const send = async (url: string, answer: ServerResponse): Promise<void> => {
    const path = decodeURIComponent(new URL(url, "http://localhost").pathname);
    const name = path.slice(base.length).replace(/(^|\/)$/, "$1index.html");
    const content = path.startsWith(base)
      ? await readFile(join(folder, name)).catch(() => undefined)
      : undefined;
    answer.statusCode = content === undefined ? 404 : 200;
    answer.setHeader("content-security-policy", policy);
    answer.setHeader("content-type", types[extname(name)] ?? "application/octet-stream");
    answer.end(content);
  };
  const server = createServer(({ url = "/" }, answer) => void send(url, answer));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  stack.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${Object(server.address()).port}`;
}

const pathOf = (page: Page) => new URL(page.url()).pathname;

test("the menu leads from a page to the same page of another version, and to its start where it has none", async (t) => {
  await using visit = await startVisit(t);
  const { page } = visit;
  const menu = page.getByRole("navigation", { name: "Main Navigation" });
  const select = menu.getByRole("combobox", { name: "Version" });
  const paths: string[] = [];
  const choose = async (from: string, version: string, to: string) => {
    await page.goto(`${origin}${base}${from}`);
    await select.selectOption(version);
    await page.waitForURL(`${origin}${base}${to}`);
    await expect.poll(async () => await select.inputValue()).toBe(version);
    paths.push(pathOf(page));
  };

  await choose(`${current}/quick-start.html`, older, `${older}/quick-start.html`);
  const offered = await select.getByRole("option").allInnerTexts();
  await choose(`${older}/providers/`, current, `${current}/providers/`);
  await choose(`${current}/agents.html`, older, `${older}/`);

  expect(offered).toEqual([current, older]);
  expect(paths).toHaveLength(3);
});

test("a small screen has the choice in its menu, and axe finds no fault", async (t) => {
  const faults: string[] = [];
  for (const colorScheme of ["light", "dark"] as const) {
    for (const width of [1280, 390]) {
      await using visit = await startVisit(t, { colorScheme, viewport: { width, height: 900 } });
      const { page } = visit;
      await page.goto(`${origin}${base}${current}/quick-start.html`);
      if (width === 390) await page.getByRole("button", { name: "mobile navigation" }).click();
      await page.getByRole("combobox", { name: "Version" }).waitFor();
      await page.evaluate(axe.source);
      const { violations } = await page.evaluate<axe.AxeResults>("axe.run()");
      faults.push(...violations.map(({ id, nodes }) => `${width} ${id} ${nodes[0]?.html}`));
    }
  }

  expect(faults).toEqual([]);
});

test("where the versions cannot be read, the version is a link to what changed", async (t) => {
  await using visit = await startVisit(t);
  const { page } = visit;
  await page.route("**/versions.json", async (route) => await route.abort());

  await page.goto(`${origin}${base}${current}/quick-start.html`);
  await page.getByRole("link", { name: current }).first().click();

  await page.waitForURL(`${origin}${base}${current}/changelog.html`);
});
