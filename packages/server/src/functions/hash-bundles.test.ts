import { expect, test } from "vitest";
import { hashBundles } from "./hash-bundles.ts";
import { hashBundle } from "./hashing/hash-bundle.ts";

function makeBundle(n: number, length: number) {
  return {
    code: `code "${n}" \n`.padEnd(length, "ä\u{1f600}"),
    source: `source ${n}`.padEnd(length, "x"),
    sourceMap: n % 2 === 0 ? undefined : `{"map":${n}}`,
  };
}

test.each([
  ["none", 0, 10],
  ["a few", 3, 10],
  ["one that is large", 1, 3_000_000],
  ["megabytes of them", 40, 100_000],
])("%s: bundles have the same hashes in a thread, in their order", async (_what, count, length) => {
  const bundles = Array.from({ length: count }, (_, n) => makeBundle(n, length));

  const [hashes, again] = await Promise.all([hashBundles(bundles), hashBundles(bundles)]);

  expect(hashes).toEqual(bundles.map(hashBundle));
  expect(again).toEqual(hashes);
});
