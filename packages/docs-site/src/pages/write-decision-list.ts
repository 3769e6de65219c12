import { titleOf } from "../to-site-markdown.ts";

/** What was decided and why, newest last. */
export function writeDecisionList(pages: ReadonlyMap<string, string>): string {
  const decisions = [...pages]
    .filter(([path]) => /^decisions\/\d/.test(path))
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, text]) => `- [${titleOf(text) ?? path}](./${path.slice("decisions/".length)})`);
  return [
    "# Decisions",
    "",
    "Why Jackfield is built this way: each decision that had an alternative.",
    "",
    ...decisions,
    "",
  ].join("\n");
}
