import { dirname, join } from "node:path/posix";
import type { Tree } from "../tree.ts";

/** Files that import each other, also when only types pass between them: neither can be read without the other. */
export function findImportCycles(tree: Tree): string[] {
  const imports = readImports(tree);
  return listCycles(imports)
    .map((cycle) => cycle.toSorted())
    .map(
      (cycle) =>
        `${cycle.join(", ")}: import each other; move what they share to a file of its own`,
    );
}

/** The same of what is loaded: statements that import types alone do not count. */
export function findRunTimeCycles(tree: Tree): string[] {
  const loaded = new Map([...tree].map(([path, text]) => [path, withoutTypes(text)]));
  return listCycles(readImports(loaded)).map((cycle) => cycle.toSorted().join(", "));
}

function withoutTypes(text: string): string {
  let isType = false;
  const kept = text.split("\n").filter((line) => {
    const isOfType = isType || line.startsWith("import type ") || line.startsWith("export type ");
    isType = isOfType && !line.endsWith(";");
    return !isOfType;
  });
  return kept.join("\n");
}

function readImports(tree: Tree): Map<string, string[]> {
  const imports = new Map<string, string[]>();
  for (const [path, text] of tree) {
    if (!/\.tsx?$/.test(path) || /\.test\.tsx?$/.test(path)) continue;
    const targets = [...text.matchAll(/(?:from|import) "(\.\.?\/[^"]+)"/g)];
    imports.set(
      path,
      targets.map(([, target = ""]) => join(dirname(path), target)).filter((to) => tree.has(to)),
    );
  }
  return imports;
}

/** Groups of files of which each reaches all others (Tarjan's strongly connected components). */
function listCycles(imports: ReadonlyMap<string, readonly string[]>): string[][] {
  const cycles: string[][] = [];
  const orderOf = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const visit = (path: string): number => {
    const order = orderOf.size;
    orderOf.set(path, order);
    let low = order;
    open.push(path);
    for (const target of imports.get(path) ?? []) {
      if (!orderOf.has(target)) low = Math.min(low, visit(target));
      else if (open.includes(target))
        low = Math.min(low, lowest.get(target) ?? order, orderOf.get(target) ?? order);
    }
    lowest.set(path, low);
    if (low === order) {
      const group = open.splice(open.indexOf(path));
      if (group.length > 1) cycles.push(group);
    }
    return low;
  };
  for (const path of imports.keys()) if (!orderOf.has(path)) visit(path);
  return cycles;
}
