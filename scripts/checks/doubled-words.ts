import type { Tree } from "./tree.ts";

/** Phrases that repeat a word on purpose. */
const meant = new Set(["read read only"]);

/** A word, or two of them, written twice in a row in a page or in a text between quotes. */
export function findDoubledWords(tree: Tree): string[] {
  const problems: string[] = [];
  for (const [path, text] of tree) {
    const isPage = path.endsWith(".md") && path !== "CHANGELOG.md";
    if (!isPage && !/^packages\/.*(?<!\.test)\.tsx?$/.test(path)) continue;
    for (const [index, line] of text.split("\n").entries()) {
      const texts = isPage ? [line] : [...line.matchAll(/"([^"]*)"/g)].map((found) => found[1]);
      const doubled = texts.map((one) => findDoubled(one ?? "")).find((one) => one !== undefined);
      if (doubled !== undefined) problems.push(`${path}:${index + 1}: "${doubled}" repeats itself`);
    }
  }
  return problems;
}

function findDoubled(text: string): string | undefined {
  const words = text.split(" ");
  for (const length of [1, 2]) {
    for (let at = 0; at + 2 * length <= words.length; at += 1) {
      const phrase = words.slice(at, at + length);
      if (!phrase.every((word) => /^[a-zA-Z]+$/.test(word))) continue;
      const next = words.slice(at + length, at + 2 * length);
      const isMeant = meant.has(words.slice(at, at + 3).join(" "));
      if (!isMeant && phrase.join(" ") === next.join(" ")) return [...phrase, ...next].join(" ");
    }
  }
  return undefined;
}
