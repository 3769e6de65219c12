import type { Tree } from "./tree.ts";

const MOST_LINES = 400;

/** Files of more than 400 lines are refused, generated ones too (STYLE.md, section "Functions and files"). */
export function findLongFiles(tree: Tree): string[] {
  return [...tree]
    .filter(([path]) => /\.(ts|tsx|js)$/.test(path))
    .map(([path, text]) => ({ path, lines: text.split("\n").length - 1 }))
    .filter(({ lines }) => lines > MOST_LINES)
    .map(({ path, lines }) => `${path}: ${lines} lines; ${MOST_LINES} are a stop`);
}
