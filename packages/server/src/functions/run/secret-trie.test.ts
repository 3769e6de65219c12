import fc from "fast-check";
import { expect, test } from "vitest";
import { SecretTrie } from "./secret-trie.ts";

/** As the search is defined: what any secret covers, those that overlap as one. */
function hideSlowly(text: string, secrets: readonly string[]): string {
  const spans: { start: number; end: number }[] = [];
  for (let start = 0; start < text.length; start += 1) {
    const found = secrets.filter((secret) => text.startsWith(secret, start));
    if (found.length === 0) continue;
    const end = start + Math.max(...found.map(({ length }) => length));
    const last = spans.at(-1);
    if (last === undefined || last.end <= start) spans.push({ start, end });
    else last.end = Math.max(last.end, end);
  }
  return spans.reduceRight(
    (hidden, { start, end }) => `${hidden.slice(0, start)}#${hidden.slice(end)}`,
    text,
  );
}

const letters = (minLength: number, maxLength: number) =>
  fc.string({ unit: fc.constantFrom("a", "b"), minLength, maxLength });

test("secrets are found wherever they overlap, begin alike or are part of each other", () => {
  const secrets = fc.array(letters(1, 8), { minLength: 1, maxLength: 6 });

  fc.assert(
    fc.property(secrets, letters(0, 60), (given, text) => {
      const trie = new SecretTrie();
      for (const secret of given) trie.add(secret);

      expect(trie.hideIn(text, "#")).toBe(hideSlowly(text, given));
    }),
    { numRuns: 2000 },
  );
});

test("secrets of more than 64 characters are hidden as far as the text has them", () => {
  const head = "ab".repeat(32);
  const digits = fc.string({ unit: fc.constantFrom("0", "1"), maxLength: 8 });

  fc.assert(
    fc.property(
      fc.array(digits, { minLength: 1, maxLength: 6 }),
      digits,
      digits,
      (tails, ...around) => {
        const [before, after] = around;
        const trie = new SecretTrie();
        for (const tail of tails) trie.add(head + tail);

        const left = Math.min(...tails.map((tail) => after.length - commonLength(tail, after)));
        expect(trie.hideIn(before + head + after, "#")).toBe(
          `${before}#${after.slice(after.length - left)}`,
        );
      },
    ),
    { numRuns: 500 },
  );
});

function commonLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
}

test("a secret that is taken back is no longer hidden, and those that begin alike still are", () => {
  fc.assert(
    fc.property(
      fc.array(letters(1, 6), { minLength: 2, maxLength: 8 }),
      fc.nat(),
      letters(0, 40),
      (given, seed, text) => {
        const trie = new SecretTrie();
        for (const secret of given) trie.add(secret);
        trie.hideIn(text, "#");
        const gone = given.length - 1 - (seed % given.length);
        trie.delete(given[gone] ?? "");
        const rest = given.filter((_, place) => place !== gone);

        expect(trie.hideIn(text, "#")).toBe(hideSlowly(text, rest));
      },
    ),
    { numRuns: 500 },
  );
});
