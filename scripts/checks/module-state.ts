import type { Tree } from "./tree.ts";

/** What a declaration of a module is made of, where every server of the process would share that it changes. */
function isState(line: string): boolean {
  const declared = line.replace(/^export /, "");
  if (declared.startsWith("let ")) return true;
  if (!declared.startsWith("const ") || declared.includes(": Readonly")) return false;
  const made = declared.split(" = new ")[1] ?? "";
  const isCollection = /^(?:Map|Set)\b/.test(made) && made.endsWith("();");
  // In the place of a server's own state.
  const isByServer = /^WeakMap<(?:Keys|Settings|\w{1,40}Context)\b/.test(made);
  return isCollection || isByServer || made.startsWith("LRUCache");
}

const REASON = /^(?:\/\/|\s?\*|\/\*\*) ?Process-wide: \S/;

/**
 * What a server keeps in memory is declared by `serverState`. What belongs to the process says why in the comment
 * above it: `Process-wide: …`.
 */
export function findModuleState(tree: Tree): string[] {
  return [...tree]
    .filter(([path]) => isOfServer(path))
    .flatMap(([path, text]) => {
      const lines = text.split("\n");
      return lines.flatMap((line, index) => {
        if (!isState(line) || REASON.test(lines[index - 1] ?? "")) return [];
        return [`${path}:${index + 1}: state of a module; declare it by serverState`];
      });
    });
}

function isOfServer(path: string): boolean {
  if (!/^packages\/server\/src\/.*\.ts$/.test(path) || path.endsWith(".test.ts")) return false;
  return !/\/(?:testing|escapes)\/|\/test-[a-z-]+\.ts$/.test(path);
}
