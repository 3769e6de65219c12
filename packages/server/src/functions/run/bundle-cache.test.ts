import { expect, test } from "vitest";
import { createBundleCache } from "./bundle-cache.ts";

// 100 characters are 200 bytes.
const bundle = (name: string) => ({ code: name.repeat(100), source: "", sourceMap: undefined });

test("keeps the bundles used last within its bytes", () => {
  const cache = createBundleCache(400);
  cache.set("a", bundle("a"));
  cache.set("b", bundle("b"));
  cache.get("a");

  cache.set("c", bundle("c"));

  expect(["a", "b", "c"].map((key) => cache.get(key)?.code[0])).toEqual(["a", undefined, "c"]);
});

test("counts a bundle that is set twice once, and takes none that is larger than all", () => {
  const cache = createBundleCache(400);
  cache.set("a", bundle("a"));
  cache.set("a", bundle("a"));
  cache.set("b", bundle("b"));
  cache.set("large", bundle("large"));

  expect(["a", "b", "large"].map((key) => cache.get(key) !== undefined)).toEqual([
    true,
    true,
    false,
  ]);
});
