import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { repository } from "./folders.ts";

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
export async function hashSources(): Promise<string> {
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
