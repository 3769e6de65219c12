import { mkdir, mkdtempDisposable, readdir, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, posix, resolve } from "node:path";
import { listProviderIds } from "@jackfield/catalogue";
import { errorTable } from "@jackfield/contract";
import { basePlaceholder } from "@jackfield/docs-site/assets";
import { beforeAll, expect, test } from "vitest";
import { buildSite, readPages } from "./built-site.ts";

const MINUTES_5 = 300_000;
let site: string;
let pages: ReadonlyMap<string, string>;

beforeAll(async () => {
  site = await buildSite();
  pages = await readPages(site);
}, MINUTES_5);

test("every link of every page leads to a file of the site, and its fragment to a heading", async () => {
  const files = new Set(await readdir(site, { recursive: true }));
  const ids = new Map(
    [...pages].map(([name, html]) => [
      name,
      new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id = ""]) => id)),
    ]),
  );
  const broken: string[] = [];
  let seen = 0;

  for (const [name, html] of pages) {
    for (const [, address = ""] of html.matchAll(
      /<(?:a|link|script|img)[^>]* (?:href|src)="([^"]*)"/g,
    )) {
      if (/^(?:https?|mailto|data):/.test(address)) continue;
      seen += 1;
      const [path = "", fragment] = address.split("#", 2);
      const target = toFile(name, path);
      if (!files.has(target)) broken.push(`${name}: ${address}`);
      else if (fragment && !ids.get(target)?.has(decodeURIComponent(fragment)))
        broken.push(`${name}: ${address} (no such heading)`);
    }
  }

  expect(pages.size).toBeGreaterThan(590);
  expect(seen).toBeGreaterThan(10_000);
  expect(broken).toEqual([]);
});

function toFile(page: string, path: string): string {
  const absolute = path.startsWith(basePlaceholder)
    ? path.slice(basePlaceholder.length)
    : path === ""
      ? page
      : posix.join(posix.dirname(page), path);
  return absolute === "" || absolute.endsWith("/") ? `${absolute}index.html` : absolute;
}

test("a static build goes to a folder of its version, and the list names those that are there", async () => {
  await using out = await mkdtempDisposable(join(tmpdir(), "jackfield-site-"));
  for (const name of ["0.1.0", "0.10.0", "other"]) await mkdir(join(out.path, name));

  await buildSite("--out", out.path, "--base", "/docs/", "--versions");

  const list = await readFile(join(out.path, "index.html"), "utf8");
  const linked = [...list.matchAll(/href="\.\/([^"]+)\/"/g)].map(([, version = ""]) => version);
  const current = linked.find((version) => !["0.1.0", "0.10.0"].includes(version)) ?? "";
  expect(linked).toHaveLength(3);
  expect(linked.indexOf("0.10.0")).toBeLessThan(linked.indexOf("0.1.0"));
  const page = await readFile(join(out.path, current, "quick-start.html"), "utf8");
  expect(page).toContain(`href="/docs/${current}/`);
  expect(page).not.toContain(basePlaceholder);
});

test("the page tree has every page of docs/", async () => {
  const docs = resolve(import.meta.dirname, "../../docs");
  const names = (await readdir(docs, { recursive: true })).filter((name) => name.endsWith(".md"));
  // The list of providers has its own page for each, the decisions a page that lists them.
  const expected = names
    .filter((name) => name !== "providers.md" && !name.startsWith("decisions/"))
    .map((name) => name.replace(/\.md$/, ".html"));
  const tree = pages.get("quick-start.html") ?? "";

  const missing = expected.filter((name) => !tree.includes(`href="${basePlaceholder}${name}"`));

  expect(expected.length).toBeGreaterThan(30);
  expect(missing).toEqual([]);
});

test("no page has a script, a style or a style attribute of its own", () => {
  const faulty = [...pages]
    .filter(([, html]) => /<script(?![^>]* src=)[^>]*>|<style| style="| on\w+="/.test(html))
    .map(([name]) => name);

  expect(faulty).toEqual([]);
});

test("no page shows what is written for the tests of its blocks", async () => {
  const texts = await Promise.all(
    ["production.html", "production.md"].map(
      async (name) => await readFile(join(site, name), "utf8"),
    ),
  );

  expect(texts.filter((text) => text.includes("not run:"))).toEqual([]);
  expect(texts.every((text) => text.includes("podman"))).toBe(true);
});

test("llms.txt names each page of the tree as Markdown, and each is there", async () => {
  const text = await readFile(join(site, "llms.txt"), "utf8");
  const listed = [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, address = ""]) =>
    address.slice(basePlaceholder.length),
  );

  const empty: string[] = [];
  for (const name of listed) {
    const page = await readFile(join(site, name), "utf8").catch(() => "");
    if (!page.startsWith("# ")) empty.push(name);
  }

  expect(listed.length).toBeGreaterThan(30);
  expect(empty).toEqual([]);
});

test("each provider of the catalogue has a page with its call, and the list links it", () => {
  const list = pages.get("providers/index.html") ?? "";
  const missing = listProviderIds().filter((id) => {
    const page = pages.get(`providers/${id}.html`) ?? "";
    return !page.includes("/proxy") || !list.includes(`href="./${id}.html"`);
  });

  expect(missing).toEqual([]);
});

test("each error of the table has its cause and cure", () => {
  const page = pages.get("errors.html") ?? "";

  const missing = Object.keys(errorTable).filter(
    (code) => !page.includes(`id="${code.replaceAll("_", "-")}"`),
  );

  expect(missing).toEqual([]);
  expect(page.match(/Cause: /g)).toHaveLength(Object.keys(errorTable).length);
  expect(page.match(/Cure: /g)).toHaveLength(Object.keys(errorTable).length);
});
