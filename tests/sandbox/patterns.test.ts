import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readPatterns } from "../../scripts/checks/patterns/read-patterns.ts";
import { checkPatterns } from "../../scripts/checks/patterns/slow-patterns.ts";

const root = join(import.meta.dirname, "../..");
const known = new Set(
  (await readFile(join(root, "scripts/checks/patterns/linear-patterns.txt"), "utf8")).split("\n"),
);

async function problemsOf(text: string): Promise<readonly string[]> {
  const tree = new Map([["packages/server/src/new-file.ts", text]]);
  return (await checkPatterns(tree, known)).problems.filter((each) => each.includes("new-file"));
}

test.for([
  ["exponential", "const p = /^(a+)+$/;"],
  [
    "a square, as a token that begins in many places",
    String.raw`x.replace(/\beyJ[\w-]+\.[\w-]+/g, "");`,
  ],
  ["a square, as an end that many places look for", String.raw`text.replace(/\/+$/, "");`],
  ["constructed of a constant", 'const WORDS = "(a|aa)+"; new RegExp("^" + WORDS + "$", "i");'],
  ["a text that `match` makes a pattern of", 'text.match("^(a|a)*$");'],
  ["constructed as a call", 'RegExp("(.*)*x");'],
])("a pattern that is slow is found: %s", async ([, text = ""]) => {
  expect(await problemsOf(text)).toEqual([expect.stringContaining("takes")]);
});

test("a part of a pattern that only a running program knows has to be described", async () => {
  const problems = await problemsOf(
    'const a = 1;\nexport const f = (name: string) => new RegExp("^" + name + "$");',
  );

  expect(problems).toEqual([
    expect.stringMatching(/new-file\.ts:2: say in .* what `name` stands for/),
  ]);
});

test("linear patterns, and what only looks like one, are let through", async () => {
  const text = String.raw`
    export const price = total / parts / 2; // a comment with /(a+)+$/ in it
    export const text = "/(a+)+$/";
    export const pattern = /(?<!\/)\/+$/;`;

  expect(await problemsOf(text)).toEqual([]);
  expect(readPatterns("a.ts", text).patterns.map(({ pattern }) => pattern)).toEqual([
    String.raw`/(?<!\/)\/+$/`,
  ]);
});

test("the patterns of provider entries are checked like others", async () => {
  const entry = "x:\n  connection_config:\n    host:\n      pattern: ^([a-z]+)*$\n";
  const tree = new Map([["packages/catalogue/providers/x.yaml", entry]]);

  const { problems } = await checkPatterns(tree, known);

  expect(problems.some((each) => each.startsWith("packages/catalogue/providers/x.yaml"))).toBe(
    true,
  );
});
