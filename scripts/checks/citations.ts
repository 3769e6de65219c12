import type { Tree } from "./tree.ts";

// A clause of a text that readers of this tree do not have.
const cited =
  /\b(?:(?:HTTP|functions|platform) (?:contract|specification),? ["\dA-Z]|contract [A-Z\d]\.\d|decisions? \d{1,3}\b(?! ways)|specification, (?:section )?[A-Z])/;

/** Comments and pages give the reason, an RFC or a page of this tree, not a clause that nobody can look up. */
export function findHiddenCitations(tree: Tree): string[] {
  const problems: string[] = [];
  for (const [path, text] of tree) {
    const isRead = /\.(ts|tsx|md|yaml)$/.test(path) && !path.startsWith("docs/decisions/");
    if (!isRead || path === "scripts/checks/citations.ts") continue;
    for (const [index, line] of text.split("\n").entries()) {
      const [found] = cited.exec(line) ?? [];
      if (found !== undefined)
        problems.push(`${path}:${index + 1}: cites "${found}"; write the reason`);
    }
  }
  return problems;
}
