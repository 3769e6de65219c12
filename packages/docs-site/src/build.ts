// `npm run docs`: builds the site of `docs/`, the provider entries and the error table, unless what is there was made
// of the same. With `--base /path/ --out folder` the result is for any server of static files at that path; with
// `--versions` too it goes to a folder of its version there, next to those of earlier builds, and `index.html` and
// the menu of each list them all.

import { createHash } from "node:crypto";
import { cp, mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, extname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { build } from "vitepress";
import { basePlaceholder } from "../assets.js";
import { finishSite } from "./finish-site.ts";
import {
  docsFolder,
  lockFolder,
  outputFolder,
  repository,
  root,
  siteFolder,
  stageFolder,
} from "./folders.ts";
import { errorNotes } from "./pages/error-notes.ts";
import { readEntries } from "./pages/provider-entry.ts";
import { writeApiPage } from "./pages/write-api-page.ts";
import { writeDecisionList } from "./pages/write-decision-list.ts";
import { writeErrorPage } from "./pages/write-error-page.ts";
import { writeProviderIndex } from "./pages/write-provider-index.ts";
import { writeProviderPage } from "./pages/write-provider-page.ts";
import { titleOf, toSiteMarkdown } from "./to-site-markdown.ts";

const { values } = parseArgs({
  options: {
    base: { type: "string", default: "/" },
    out: { type: "string" },
    versions: { type: "boolean", default: false },
  },
});
const ABANDONED_MS = 10 * 60 * 1000;
const stamp = join(siteFolder, ".stamp");
const wanted = await hashSources();
while (!(await isBuilt())) {
  if (!(await lock())) continue;
  try {
    await buildSite();
    process.stdout.write("Built the docs site.\n");
  } finally {
    await rm(lockFolder, { recursive: true, force: true });
  }
}
if (values.out !== undefined) {
  const folder = resolve(values.out);
  if (values.versions) await addVersion(folder, values.base);
  else await copyTo(folder, values.base);
}

async function isBuilt(): Promise<boolean> {
  return (await readFile(stamp, "utf8").catch(() => undefined)) === wanted;
}

/** Whether this process may build; waits a second where another one does. */
async function lock(): Promise<boolean> {
  try {
    await mkdir(lockFolder);
    return true;
  } catch {
    const other = await stat(lockFolder).catch(() => undefined);
    const isAbandoned = other !== undefined && Date.now() - other.mtimeMs > ABANDONED_MS;
    if (isAbandoned) await rm(lockFolder, { recursive: true, force: true });
    else await sleep(1000);
    return false;
  }
}

async function buildSite(): Promise<void> {
  for (const folder of [stageFolder, outputFolder])
    await rm(folder, { recursive: true, force: true });
  const pages = await stagePages(stageFolder);
  await build(root);
  await finishSite(outputFolder, pages);
  await writeFile(join(outputFolder, ".stamp"), wanted);
  await rm(siteFolder, { recursive: true, force: true });
  await rename(outputFolder, siteFolder);
  await rm(stageFolder, { recursive: true, force: true });
}

/** The site as one of several versions: `<folder>/0.2.0/`, and the list in `index.html` and `versions.json`. */
async function addVersion(folder: string, base: string): Promise<void> {
  const manifest = await readFile(new URL("../package.json", import.meta.url), "utf8");
  const { version }: { version: string } = JSON.parse(manifest);
  const target = join(folder, version);
  await rm(target, { recursive: true, force: true });
  await copyTo(target, `${base}${version}/`);
  const versions = versionsAmong(await readdir(folder));
  await writeFile(join(folder, "index.html"), writeVersionList(versions));
  // Read by the menu of each version, also of those that were built before.
  await writeFile(join(folder, "versions.json"), `${JSON.stringify(versions)}\n`);
}

/** The site for one address, as files that any server can serve. */
async function copyTo(target: string, base: string): Promise<void> {
  if (!/^\/([\w.-]+\/)*$/.test(base))
    throw new Error("--base is a path that begins and ends with a slash");
  for (const name of await readdir(siteFolder, { recursive: true })) {
    const file = join(siteFolder, name);
    if (extname(name) === "") continue;
    await mkdir(dirname(join(target, name)), { recursive: true });
    if (!/\.(html|js|css|md|txt|json)$/.test(name)) await cp(file, join(target, name));
    else {
      const text = await readFile(file, "utf8");
      await writeFile(join(target, name), text.replaceAll(basePlaceholder, base));
    }
  }
  process.stdout.write(`Wrote the site for ${base} to ${target}.\n`);
}

/** The versions among the names of folders, the newest first. */
function versionsAmong(names: readonly string[]): string[] {
  return names
    .filter((name) => /^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(name))
    .toSorted((a, b) => b.localeCompare(a, "en", { numeric: true }));
}

/** A page that links versions. */
function writeVersionList(versions: readonly string[]): string {
  const items = versions.map((version) => `<li><a href="./${version}/">${version}</a></li>`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Jackfield documentation</title>
</head>
<body>
<main>
<h1>Jackfield documentation</h1>
<p>Choose the version that you run. <code>jackfield version</code> names it.</p>
<ul>
${items.join("\n")}
</ul>
</main>
</body>
</html>
`;
}

const places = [
  "docs",
  "packages/docs-site/src",
  "packages/docs-site/.vitepress/config.ts",
  "packages/docs-site/.vitepress/theme",
  "packages/docs-site/package.json",
  "packages/contract/src",
  "packages/catalogue/generated/catalogue.jsonl",
  "packages/node/README.md",
  "packages/frontend/README.md",
  "CHANGELOG.md",
];

/** Of everything that the site is made from: the same hash, the same site. */
async function hashSources(): Promise<string> {
  const hash = createHash("sha256");
  for (const place of places) {
    for (const path of await listFiles(place)) {
      hash
        .update(`${path}\n`)
        .update(await readFile(join(repository, path)))
        .update("\n");
    }
  }
  return hash.digest("hex");
}

async function listFiles(place: string): Promise<string[]> {
  const entries = await readdir(join(repository, place), {
    recursive: true,
    withFileTypes: true,
  }).catch(() => undefined);
  if (entries === undefined) return [place];
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(repository.length))
    .toSorted();
}

/** Writes all pages as Markdown, those of `docs/` and those that are made; resolves to them by path. */
async function stagePages(folder: string): Promise<Map<string, string>> {
  const pages = new Map<string, string>();
  for (const name of await readdir(docsFolder, { recursive: true })) {
    if (extname(name) === ".md") pages.set(name, await readFile(join(docsFolder, name), "utf8"));
    // Once for the pages, which get it under a name with a hash, and once for the pages as Markdown.
    else if (extname(name) === ".svg") {
      await cp(join(docsFolder, name), join(folder, name));
      await cp(join(docsFolder, name), join(folder, "public", name));
    }
  }
  // A list with one line for each provider; the site has a page for each.
  pages.delete("providers.md");
  pages.delete("decisions/README.md");
  pages.set("decisions/index.md", writeDecisionList(pages));
  const entries = await readEntries();
  pages.set("providers/index.md", writeProviderIndex(entries));
  for (const entry of entries) pages.set(`providers/${entry.id}.md`, writeProviderPage(entry));
  pages.set("api.md", writeApiPage());
  pages.set("errors.md", writeErrorPage(errorNotes));
  pages.set("changelog.md", await readFile(join(repository, "CHANGELOG.md"), "utf8"));
  for (const client of ["node", "frontend"]) {
    pages.set(
      `${client}.md`,
      await readFile(join(repository, `packages/${client}/README.md`), "utf8"),
    );
  }
  pages.set("index.md", pages.get("quick-start.md") ?? "");

  const byName = new Map([...pages].map(([path, text]) => [path, titleOf(text)]));
  const titles = new Map([...byName, ["providers.md", "All providers"]]);
  for (const [path, text] of pages) {
    const own = path.startsWith("providers/") ? text : toSiteMarkdown(text, { path, titles });
    const up = "../".repeat(path.split("/").length - 1) || "./";
    const written = own
      .replaceAll(/\]\(docs\//g, "](./")
      .replaceAll(/\]\([./]*providers\.md\)/g, `](${up}providers/index.md)`);
    pages.set(path, written);
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), written);
  }
  return pages;
}
