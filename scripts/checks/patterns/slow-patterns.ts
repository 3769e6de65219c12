import { availableParallelism } from "node:os";
import { listProviders } from "@jackfield/catalogue";
import { check } from "recheck";
import { parse } from "yaml";
import type { Tree } from "../tree.ts";
import { findStaleParts } from "./parts.ts";
import { type FoundPattern, readPatterns } from "./read-patterns.ts";

/** Patterns that were found linear before, a line each; written by `npm run generate`. */
export const LINEAR_PATTERNS = "scripts/checks/patterns/linear-patterns.txt";
// More than these in a check make it slow for everybody.
const MOST_UNLISTED = 30;
const CHECK_TIMEOUT_MS = 30_000;

const source = /^(packages|scripts|examples)\/.*\.(ts|tsx|js|mjs|cjs)$/;
const notShipped = /\.test\.tsx?$|\/testing\/|\/escapes\//;

export interface PatternCheck {
  /** Those whose time grows with the length of the text, sorted. */
  readonly linear: readonly string[];
  readonly problems: readonly string[];
}

/** Checks every regular expression of the product; those that `known` lists are taken as linear. */
export async function checkPatterns(tree: Tree, known: ReadonlySet<string>): Promise<PatternCheck> {
  const { patterns, problems } = findPatterns(tree);
  const byText = Map.groupBy(patterns, ({ pattern }) => pattern);
  const linear = [...byText.keys()].filter((pattern) => known.has(pattern));
  const queue = [...byText].filter(([pattern]) => !known.has(pattern));
  const found: string[] = [];
  const work = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const [pattern, places] = next;
      const fault = await findSlowness(pattern);
      if (fault === undefined) linear.push(pattern);
      else found.push(`${[...new Set(places.map(({ path }) => path))].join(", ")}: ${fault}`);
    }
  };
  await Promise.all(Array.from({ length: Math.min(2, availableParallelism()) }, work));
  return { linear: linear.toSorted(), problems: [...problems, ...found.toSorted()] };
}

/** Regular expressions whose time grows faster than the text, with a text that shows it. */
export async function findSlowPatterns(tree: Tree): Promise<string[]> {
  const known = readLinearPatterns(tree);
  const { linear, problems } = await checkPatterns(tree, known);
  const unlisted = linear.filter((pattern) => !known.has(pattern)).length;
  const isSlow = unlisted > MOST_UNLISTED;
  return [
    ...problems,
    ...(isSlow ? [`${LINEAR_PATTERNS}: lacks ${unlisted} patterns; run: npm run generate`] : []),
  ];
}

export function readLinearPatterns(tree: Tree): ReadonlySet<string> {
  return new Set((tree.get(LINEAR_PATTERNS) ?? "").split("\n"));
}

function findPatterns(tree: Tree): { patterns: FoundPattern[]; problems: string[] } {
  const files = [...tree].filter(([path]) => source.test(path) && !notShipped.test(path));
  const readings = files.map(([path, text]) => readPatterns(path, text));
  return {
    patterns: [
      ...readings.flatMap((reading) => reading.patterns),
      ...findInEntries(tree),
      ...findInCatalogue(),
    ],
    problems: [
      ...readings.flatMap((reading) => reading.problems),
      ...findStaleParts(new Set(tree.keys())),
    ],
  };
}

/** As a browser runs the pattern of a field. */
function asField(path: string, pattern: string): FoundPattern {
  return { path, pattern: String(new RegExp(`^(?:${pattern})$`, "u")) };
}

function findInEntries(tree: Tree): FoundPattern[] {
  return [...tree]
    .filter(([path]) => /^packages\/catalogue\/providers\/.*\.yaml$/.test(path))
    .flatMap(([path, text]) => listPatterns(parse(text)).map((each) => asField(path, each)));
}

function listPatterns(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, item]) =>
    name === "pattern" && typeof item === "string" ? [item] : listPatterns(item),
  );
}

function findInCatalogue(): FoundPattern[] {
  return [...listProviders()].flatMap(({ id, connection_config, credentials }) =>
    [...Object.values(connection_config), ...Object.values(credentials)].flatMap(({ pattern }) =>
      pattern === undefined ? [] : [asField(`the generated entry ${id}`, pattern)],
    ),
  );
}

async function findSlowness(pattern: string): Promise<string | undefined> {
  const end = pattern.lastIndexOf("/");
  const verdict = await check(pattern.slice(1, end), pattern.slice(end + 1), {
    timeout: CHECK_TIMEOUT_MS,
  });
  if (verdict.status === "safe") return undefined;
  if (verdict.status === "unknown") {
    return `${pattern} cannot be checked (${verdict.error.kind}); write it more simply`;
  }
  const { complexity, attack } = verdict;
  return `${pattern} takes ${complexity.summary} time, for example on ${attack.pattern}`;
}
