import { cp, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, extname, join } from "node:path";
import { docsFolder, repository } from "./folders.ts";
import { errorNotes } from "./pages/error-notes.ts";
import { readEntries } from "./pages/provider-entry.ts";
import { writeApiPage } from "./pages/write-api-page.ts";
import { writeDecisionList } from "./pages/write-decision-list.ts";
import { writeErrorPage } from "./pages/write-error-page.ts";
import { writeProviderIndex } from "./pages/write-provider-index.ts";
import { writeProviderPage } from "./pages/write-provider-page.ts";
import { titleOf, toSiteMarkdown } from "./to-site-markdown.ts";

/** Writes all pages as Markdown, those of `docs/` and those that are made; resolves to them by path. */
export async function stagePages(folder: string): Promise<Map<string, string>> {
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
