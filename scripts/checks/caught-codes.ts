import type { Tree } from "./tree.ts";

const comparisons = /\bcode [!=]== "/g;
const notFound = /\bstatus (?:===|!==) 404\b/;

/** Caught to learn that something is missing. */
function saysMissing(code: string): boolean {
  return code === "not_found" || code.startsWith("unknown_") || code.endsWith("_not_found");
}

/** Caught to be called something else. */
function isThrownAgain(rest: string): boolean {
  return /^\)[ \n{]{0,40}throw new AppError\(/.test(rest);
}

function catchesCode(text: string): boolean {
  if (!text.includes("instanceof AppError")) return false;
  if (notFound.test(text)) return true;
  return [...text.matchAll(comparisons)].some(({ 0: found, index }) => {
    const [code = "", rest = ""] = text.slice(index + found.length, index + 200).split('"');
    return saysMissing(code) || isThrownAgain(rest);
  });
}

const allowed: Readonly<Record<string, string>> = {
  "packages/server/src/agents/sessions/challenge.ts": "adds a header to what it throws again",
  "packages/server/src/bulk/do-item.ts": "somebody else may delete it between finding and deleting",
};

/** A slice has `findX` beside `getX`, and takes the code of its caller's route: nothing is thrown to be caught by us. */
export function findCaughtCodes(tree: Tree): string[] {
  return [...tree]
    .filter(([path]) => /^packages\/server\/src\/.*\.ts$/.test(path))
    .filter(([path]) => !path.endsWith(".test.ts") && !/\/(?:testing|escapes)\//.test(path))
    .filter(([path, text]) => allowed[path] === undefined && catchesCode(text))
    .map(([path]) => `${path}: catches an error for its code; use findX, or hand the code in`);
}
