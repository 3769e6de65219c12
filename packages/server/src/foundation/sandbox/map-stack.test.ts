import { build } from "esbuild";
import { expect, test } from "vitest";
import { mapStack } from "./map-stack.ts";

test("positions in a bundle become the author's, other lines stay", async () => {
  const result = await build({
    stdin: {
      contents: "\n\nexport function fail(text: string) {\n  throw new Error(text);\n}\n",
      loader: "ts",
      sourcefile: "crm/actions/act.ts",
    },
    format: "cjs",
    sourcemap: "external",
    write: false,
    outfile: "crm/act.js",
  });
  const [map, code] = result.outputFiles.toSorted((a, b) => b.path.localeCompare(a.path));
  const lines = code?.text.split("\n") ?? [];
  const line = lines.findIndex((text) => text.includes("throw new")) + 1;
  const stack = `Error: x\n    at fail (crm/act.js:${line}:3)\n    at node:internal/timers:1:1`;

  const mapped = mapStack(stack, map?.text ?? "");

  expect(mapped).toMatch(/at fail \(.*crm\/actions\/act\.ts:4:3\)/);
  expect(mapped).toContain("at node:internal/timers:1:1");
  expect(mapped).toContain("Error: x");
});

test("a map that is no map leaves the stack as it is", () => {
  expect(mapStack("Error\n    at a (b.js:1:1)", "no json")).toBe("Error\n    at a (b.js:1:1)");
});
