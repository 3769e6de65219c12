import { expect, test } from "vitest";
import { findLockfileProblems } from "../scripts/checks/lockfile.ts";

const sha512 = `sha512-${"A".repeat(86)}==`;
const forOthers = { version: "1.0.0", dev: true, optional: true, os: ["darwin"] };

function findProblems(locked: object): string[] {
  const packages = { "node_modules/tool": locked };
  return findLockfileProblems(new Map([["package-lock.json", JSON.stringify({ packages })]]));
}

test("a package is locked with its hash, also where it is for another system", () => {
  expect(findProblems({ ...forOthers, integrity: sha512 })).toEqual([]);
  expect(findProblems(forOthers)).toHaveLength(1);
  expect(findProblems({ ...forOthers, integrity: "sha1-AAAA" })).toHaveLength(1);
});

test("a locked package names no registry", () => {
  const resolved = "https://registry.example/tool.tgz";

  expect(findProblems({ ...forOthers, integrity: sha512, resolved })).toHaveLength(1);
});
