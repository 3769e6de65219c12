import { existsSync, globSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { notOnCluster } from "./on-cluster.ts";

const root = join(import.meta.dirname, "../..");

/** With a database that is made for them, or with none. */
const right = ["bounded-work", "find-traps", "held-run", "on-cluster", "two-phase"];

test("each test of Citus says whether it can run on a cluster", () => {
  const found = globSync("tests/citus/*.test.ts", { cwd: root });

  const known = right.map((name) => `tests/citus/${name}.test.ts`);
  const declared = Object.keys(notOnCluster).filter((path) => path.startsWith("tests/citus/"));
  expect([...known, ...declared].toSorted()).toEqual(found.toSorted());
});

test("each file that is left out on a cluster is there", () => {
  expect(Object.keys(notOnCluster).filter((path) => !existsSync(join(root, path)))).toEqual([]);
});
