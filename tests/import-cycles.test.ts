import { expect, test } from "vitest";
import { findImportCycles } from "../scripts/checks/imports/import-cycles.ts";

test("files that import each other only for types are a cycle, found whichever comes first", () => {
  const [a, b] = ["packages/server/src/syncs/a.ts", "packages/server/src/syncs/runs/b.ts"];
  const importA = 'import type { A } from "../a.ts";\n';
  const importB = 'import {\n  type B,\n  b,\n} from "./runs/b.ts";\n';

  expect(
    findImportCycles(
      new Map([
        [a, importB],
        [b, importA],
      ]),
    ),
  ).toEqual([expect.stringContaining(`${a}, ${b}: import each other`)]);
  expect(
    findImportCycles(
      new Map([
        [b, importA],
        [a, importB],
      ]),
    ),
  ).toHaveLength(1);
  expect(
    findImportCycles(
      new Map([
        [a, importB],
        [b, ""],
      ]),
    ),
  ).toEqual([]);
});
