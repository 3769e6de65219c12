import { existsSync } from "node:fs";
import type { Tree } from "./tree.ts";

// A path in backticks that begins with a folder of the root, or is a file of the root.
const cited = /`((?:packages|scripts|tests|docs|deploy|\.ci)\/[A-Za-z0-9_./@-]*|[A-Z]{4,}\.md)`/g;

/** Documents may name only files and folders that exist. */
export function findBrokenDocPaths(tree: Tree): string[] {
  const problems: string[] = [];
  for (const [path, text] of tree) {
    if (!path.endsWith(".md") || path.startsWith("docs/plans/")) continue;
    for (const [, target = ""] of text.matchAll(cited)) {
      if (!existsSync(target)) problems.push(`${path}: names ${target}, which does not exist`);
    }
  }
  return problems;
}
