import { dirname, join } from "node:path/posix";
import type { Tree } from "../tree.ts";

const server = "packages/server/src";
/** No slices: they put slices together, and enter each by its door. */
const outside: ReadonlySet<string> = new Set(["", "process", "operator", "testing"]);

/** Relative imports of the server that leave their slice; another slice is entered by its door, `#slice`. */
export function findEnteredSlices(tree: Tree): string[] {
  const problems: string[] = [];
  for (const [path, text] of tree) {
    if (!path.startsWith(`${server}/`) || !/\.tsx?$/.test(path)) continue;
    for (const [, target = ""] of text.matchAll(/(?:from|import|import\() ?"(\.\.?\/[^"]+)"/g)) {
      const entered = join(dirname(path), target);
      const [from, to] = [sliceOf(path), sliceOf(entered)];
      if (from === to || (outside.has(from) && outside.has(to)) || isDoor(path, entered)) continue;
      problems.push(`${path}: imports ${target} of another slice; enter it by its door`);
    }
  }
  return problems;
}

/** Folders of the foundation are slices of their own. */
function sliceOf(path: string): string {
  if (!path.startsWith(`${server}/`)) return path;
  const [first = "", second = "", third] = path.slice(server.length + 1).split("/");
  if (second === "") return "";
  if (first === "foundation") return third === undefined ? "foundation" : `foundation/${second}`;
  return first;
}

function isDoor(from: string, to: string): boolean {
  const areOfFoundation = [from, to].every((path) => path.startsWith(`${server}/foundation/`));
  return areOfFoundation && (to.endsWith("/index.ts") || sliceOf(to) === "foundation");
}
