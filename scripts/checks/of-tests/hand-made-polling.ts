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
      listNodes(parseSync(path, text).program, isLoop)
        .filter(({ start, end }) => isSuspect(text.slice(start, end)))
        .map(({ start }) => {
          const line = text.slice(0, start).split("\n").length;
          return `${path}:${line}: polls by hand; use expect.poll or vi.waitUntil`;
        }),
    );
}

/** `expect.poll` where no test runs, in which it throws: an error that ends the file after its tests have passed. */
export function findPollsOfHooks(tree: Tree): string[] {
  return [...tree]
    .filter(([path, text]) => isOfTests(path) && text.includes("expect.poll(") && hasHook(text))
    .flatMap(([path, text]) =>
      listNodes(parseSync(path, text).program, isHook)
        .filter(({ start, end }) => text.slice(start, end).includes("expect.poll("))
        .map(({ start }) => {
          const line = text.slice(0, start).split("\n").length;
          return `${path}:${line}: polls with expect.poll outside of a test; use vi.waitUntil`;
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

interface Place {
  readonly start: number;
  readonly end: number;
}

const loops = new Set(["WhileStatement", "ForStatement", "DoWhileStatement"]);

function isLoop(node: object): boolean {
  return loops.has(Object(node).type);
}

function hasHook(text: string): boolean {
  return text.includes("beforeAll(") || text.includes("afterAll(");
}

function isHook(node: object): boolean {
  const { type, callee } = Object(node);
  return type === "CallExpression" && ["beforeAll", "afterAll"].includes(Object(callee).name);
}

/** The outermost nodes of this kind. */
function listNodes(program: unknown, isWanted: (node: object) => boolean): Place[] {
  const found: Place[] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return;
    if (isWanted(node)) {
      const { start, end } = Object(node);
      found.push({ start, end });
      return;
    }
    for (const child of Object.values(node)) visit(child);
  };
  visit(program);
  return found;
}
