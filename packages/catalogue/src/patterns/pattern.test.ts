import { RE2JS } from "re2js";
import { expect, test } from "vitest";
import { cpuMsOf } from "../../../../tests/cpu-time.ts";
import { listProviders } from "../built-in/built-in.ts";
import { findPatternFault, fitsPattern } from "./pattern.ts";
import { countSteps } from "./pattern-cost.ts";

test.each([
  ["^[a-z]+$", "acme", true],
  ["^[a-z]+$", "acme.evil", false],
  ["^[a-z]+$", "acme\n", false],
  ["[a-z]+|[0-9]+", "a1", false],
  ["^\\p{L}+$", "Ärzte", true],
  ["^.$", "😀", true],
])("%s of %j: %s", (pattern, text, fits) => {
  expect(fitsPattern(pattern, text)).toBe(fits);
});

test("a pattern that makes others count for ever is answered at once", () => {
  expect(fitsPattern("^(a+)+$", `${"a".repeat(5000)}!`)).toBe(false);
});

test("every pattern of the catalogue is within the limits", () => {
  const faults = listProviders().flatMap((provider) =>
    [provider.connection_config, provider.credentials, provider.integration_config]
      .flatMap((fields) => Object.values(fields))
      .flatMap(({ pattern }) => (pattern === undefined ? [] : (findPatternFault(pattern) ?? []))),
  );

  expect(faults).toEqual([]);
});

test.each([
  ["many characters", `^${"a".repeat(200)}$`],
  ["a repeat", "^a{1000}$"],
  ["repeats in repeats", "^(a{30}){30}$"],
  ["a repeat of a class that only looks closed", "^([]{1}a]{900})$"],
  ["an open repeat", "^(a{100,}){9}$"],
  ["repeats side by side", `^${"\\p{L}{1000}".repeat(10)}$`],
  ["a repeat behind a quote", "^\\Q(\\Ea{900}$"],
  ["groups", `^${"(".repeat(190)}$`],
  ["optional parts", "^(a?){99}$"],
])("a pattern with %s is refused", (_what, pattern) => {
  expect(findPatternFault(pattern)).toBeDefined();
  expect(fitsPattern(pattern, "a")).toBe(false);
});

test("patterns that were compiled once are kept, up to a number", () => {
  const patterns = Array.from({ length: 2000 }, (_, n) => `^a${n}$`);

  expect(patterns.every((pattern, n) => fitsPattern(pattern, `a${n}`))).toBe(true);
});

// The longest program and text that pass, of shapes that keep RE2 busiest; half of the texts end in a surprise.
const busy = [
  "^([ab]*a[ab]{100})$",
  "^([ab]*a[ab]{50})$",
  "^([ab]*a[ab]{10})$",
  "^(.*a){30}$",
  "^(a?){35}$",
  "^(a|b|ab)*(a?){20}c$",
  "^((a|b)*(b|a)*){10}$",
  "^\\p{L}{0,70}$",
];

test.each(busy)("a check of %s takes a millisecond at most", async (pattern) => {
  expect(findPatternFault(pattern)).toBeUndefined();
  const texts = Array.from({ length: 100 }, (_, n) =>
    Array.from({ length: 120 + n }, (_, at) => ((at * (n + 7) * 2_654_435_761) & 64 ? "a" : "b"))
      .join("")
      .concat(n % 2 === 0 ? "!" : ""),
  );

  const cpuMs = await cpuMsOf(() => {
    for (const text of texts) fitsPattern(pattern, text);
  });

  expect(cpuMs / texts.length).toBeLessThan(1);
});

const atoms = ["a", ".", "[a-z]", "[]{3}]", "[[:alpha:]x]", "\\d", "\\{", "\\x{61}"];
const counts = ["*", "+?", "?", "{3}", "{0,4}", "{2,}", "{7,9}"];

/** A pattern that is the same for the same seed. */
function makePattern(seed: number): string {
  let state = seed + 1;
  const below = (limit: number) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % limit;
  };
  const make = (depth: number): string => {
    const shape = depth === 0 ? 0 : below(4);
    if (shape === 0) return atoms[below(atoms.length)] ?? "";
    if (shape === 1) return make(depth - 1) + make(depth - 1);
    if (shape === 2) return `(${make(depth - 1)}|${make(depth - 1)})`;
    return `(${make(depth - 1)})${counts[below(counts.length)]}`;
  };
  return make(5);
}

test("a program has at most four times the steps that are counted beforehand", () => {
  const patterns = Array.from({ length: 500 }, (_, seed) => makePattern(seed));

  for (const pattern of patterns) {
    let size = 0;
    try {
      size = RE2JS.compile(pattern).programSize();
    } catch {
      // Repeats in repeats that RE2 refuses by itself.
    }
    expect(size, pattern).toBeLessThanOrEqual(4 * countSteps(pattern) + 8);
  }
});
