import { parseSync } from "oxc-parser";
import type { Tree } from "../tree.ts";

/** Files that poll by hand, with the reason. */
const allowed: Readonly<Record<string, string>> = {
  "tests/outages/pair.ts": "says what of the pair did not come up",
  "tests/upgrades/fill-platform.ts": "also fills a server for `scripts/make-fixture.ts`",
};

/**
 * A loop of a test that sleeps and throws when it is late; `expect.poll` and `vi.waitUntil` do that, and say what was
 * seen last.
 */
export function findHandMadePolling(tree: Tree): string[] {
  return [...tree]
    .filter(([path, text]) => isOfTests(path) && allowed[path] === undefined && isSuspect(text))
    .flatMap(([path, text]) =>
      listLoops(parseSync(path, text).program)
        .filter(({ start, end }) => isSuspect(text.slice(start, end)))
        .map(({ start }) => {
          const line = text.slice(0, start).split("\n").length;
          return `${path}:${line}: polls by hand; use expect.poll or vi.waitUntil`;
        }),
    );
}

function isOfTests(path: string): boolean {
  const isTest = /\.test\.tsx?$/.test(path) || path.includes("/testing/");
  return (
    path.endsWith(".ts") && (path.startsWith("tests/") || (path.startsWith("packages/") && isTest))
  );
}

function isSuspect(text: string): boolean {
  const isLate = text.includes("performance.now()") || text.includes("Date.now()");
  return isLate && text.includes("throw new Error(") && /\b(?:sleep|delay|setTimeout)\(/.test(text);
}

interface Loop {
  readonly start: number;
  readonly end: number;
}

function listLoops(program: unknown): Loop[] {
  const loops: Loop[] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return;
    const { type, start, end } = Object(node);
    if (type === "WhileStatement" || type === "ForStatement" || type === "DoWhileStatement") {
      loops.push({ start, end });
      return;
    }
    for (const child of Object.values(node)) visit(child);
  };
  visit(program);
  return loops;
}
