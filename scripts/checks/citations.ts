import type { Tree } from "./tree.ts";

interface Rule {
  readonly cited: RegExp;
  /** What to do about the find; undefined where it is fine after all. */
  advise(found: RegExpExecArray, tree: Tree): string | undefined;
}

const writeTheReason = (): string => "write the reason";

const rules: readonly Rule[] = [
  {
    cited:
      /\b(?:HTTP|functions?|runtime|platform(?:'s)?) specification\b|\bspecification,? (?:section )?["\dA-Z]/,
    advise: writeTheReason,
  },
  { cited: /\b(?:of|by|as|where|follows?|says?) the specification\b/, advise: writeTheReason },
  { cited: /\bcontract,? (?:section )?(?:[A-Z]\.?\d|\d{1,2}(?:\.\d|\b))/i, advise: writeTheReason },
  { cited: /\b(?:rows?|clauses?|sections?|facts) [A-Z]\.?\d{1,2}\b/, advise: writeTheReason },
  {
    cited: /\bdecisions? (\d+)\b(?! ways)/i,
    advise: ([, number = ""], tree) =>
      isDecision(number, tree) ? undefined : "name a page of docs/decisions or write the reason",
  },
  {
    cited: /\b[A-Z]{4,}(?:\.md)? (?:\d+\b|§)/,
    advise: ([found], tree) =>
      tree.has(`${found.split(/[. ]/)[0]}.md`) ? "name the section by its title" : undefined,
  },
  { cited: /(?<![-/\w])issues? #?\d+\b|§ ?[A-Z]?\d/i, advise: () => "link it or write the reason" },
];

/** Comments and pages give the reason, an RFC or a page of this tree, not a clause that nobody can look up. */
export function findHiddenCitations(tree: Tree): string[] {
  const problems: string[] = [];
  for (const [path, text] of tree) {
    if (!isRead(path)) continue;
    for (const [index, line] of text.split("\n").entries()) {
      for (const { cited, advise } of rules) {
        const found = cited.exec(line);
        const advice = found === null ? undefined : advise(found, tree);
        if (advice === undefined) continue;
        problems.push(`${path}:${index + 1}: cites "${found?.[0]}"; ${advice}`);
      }
    }
  }
  return problems;
}

const PROMISES = "docs/promises.md";
// At the start of a comment or a test's title, before a colon; in parentheses; after the word; as the id of a result.
const promiseForms: readonly RegExp[] = [
  /(?:\/\/|\/\*\*|^ {0,9}\*|["'`]) ?([A-Z]\d{1,2}(?:(?:, | and | to )[A-Z]\d{1,2})*): (?=\w)/gm,
  /\bpromises? ([A-Z]\d{1,2}(?:(?:, | and | to )[A-Z]\d{1,2})*)/gi,
  /\(([A-Z]\d{1,2})\)(?=["'.]|\s*\*\/|$)/gm,
  /\bid: ["'`]([A-Z]\d{1,2})["'`]/g,
];

/** Ids of promises that tests, comments and pages cite, and that docs/promises.md does not have. */
export function findUnknownPromises(tree: Tree): string[] {
  const page = tree.get(PROMISES) ?? "";
  const known = new Set([...page.matchAll(/^\| ([A-Z]\d+) \|/gm)].map(([, id]) => id));
  if (known.size === 0) return [`${PROMISES}: no promise was found`];
  const problems: string[] = [];
  for (const [path, text] of tree) {
    if (!isRead(path) || /\/testing\/|^packages\/simulator\//.test(path)) continue;
    for (const [, ids = ""] of promiseForms.flatMap((form) => [...text.matchAll(form)])) {
      for (const id of ids.match(/[A-Z]\d+/g) ?? []) {
        if (!known.has(id)) problems.push(`${path}: cites the promise ${id}; see ${PROMISES}`);
      }
    }
  }
  return problems;
}

/** Rows of docs/promises.md that say less than a row must. */
export function findThinPromises(tree: Tree): string[] {
  const problems: string[] = [];
  const seen = new Set<string>();
  for (const section of (tree.get(PROMISES) ?? "").split(/^## /m)) {
    const commands = section.match(/^Long form: .*$/m)?.[0] ?? "";
    for (const [row, id] of section.matchAll(/^\| ([A-Z]\d+) \|.*$/gm)) {
      if (id !== undefined && seen.has(id)) problems.push(`${PROMISES}: ${id} is there twice`);
      seen.add(id ?? "");
      const [, , promise = "", meaning = "", proof = "", figures = ""] = row.split(/ ?\| ?/);
      if ([promise, meaning, figures].some((cell) => cell.trim() === ""))
        problems.push(`${PROMISES}: ${id} lacks a promise, what it means or the figures`);
      if (!/`(?:packages|tests)\/|`npm run bench/.test(proof))
        problems.push(`${PROMISES}: ${id} names no test that proves it`);
      for (const [file] of proof.matchAll(/tests\/chaos\/[\w-]+\.chaos\.ts/g)) {
        if (!commands.includes(`npm run test:chaos -- ${file}`))
          problems.push(`${PROMISES}: the section of ${id} lacks the command for ${file}`);
      }
    }
  }
  return problems;
}

function isRead(path: string): boolean {
  const isProse = /\.(ts|tsx|js|mjs|cjs|md|sql|toml)$|^(?:deploy|\.ci)\/.*\.ya?ml$/.test(path);
  const isOwn = path === "scripts/checks/citations.ts" || path === "tests/boundaries.test.ts";
  return isProse && !isOwn;
}

function isDecision(number: string, tree: Tree): boolean {
  return [...tree.keys()].some((path) => path.startsWith(`docs/decisions/${number}-`));
}
