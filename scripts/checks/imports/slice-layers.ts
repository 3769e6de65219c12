import type { Tree } from "../tree.ts";

const SOURCES = "packages/server/src/";

/** How the slices become programs: they may import anything. */
const programs = ["operator", "process", "testing"];

/**
 * Slices of the server import only from layers below their own, types included. The layers are those that
 * ARCHITECTURE.md draws, in its block `layers`; tests and what they share may reach anywhere.
 */
export function findWrongSliceDirections(tree: Tree): string[] {
  const layers = readLayers(tree.get("ARCHITECTURE.md") ?? "");
  const problems: string[] = [];
  for (const [path, text] of tree) {
    const slice = sliceOf(path);
    if (slice === undefined) continue;
    const own = layers.get(slice);
    if (own === undefined) {
      problems.push(`ARCHITECTURE.md: ${SOURCES}${slice} is in no layer`);
      continue;
    }
    for (const [, other = ""] of text.matchAll(/(?:from|import\(|import) ?"#([a-z-]+)[/"]/g)) {
      const below = layers.get(other);
      if (other !== slice && (below === undefined || below <= own)) {
        problems.push(`${path}: #${slice} may not import from #${other}, which is not below it`);
      }
    }
  }
  return [...new Set(problems)];
}

/** How far down from the top each slice is. */
function readLayers(architecture: string): ReadonlyMap<string, number> {
  const block = /```layers\n(.*?)```/s.exec(architecture)?.[1] ?? "";
  const lines = block.trim().split("\n");
  return new Map(lines.flatMap((line, depth) => line.split(" ").map((name) => [name, depth])));
}

/** The slice whose folder a file of the product is in. */
function sliceOf(path: string): string | undefined {
  if (!path.startsWith(SOURCES) || !path.endsWith(".ts") || path.endsWith(".test.ts")) {
    return undefined;
  }
  const [slice = "", ...rest] = path.slice(SOURCES.length).split("/");
  const isShared = programs.includes(slice) || rest.includes("testing");
  return rest.length === 0 || isShared ? undefined : slice;
}
