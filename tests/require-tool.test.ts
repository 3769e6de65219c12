import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { suiteTools } from "./require-tool.ts";

/** Parts of every Debian system. */
const given = ["mount", "script", "sh"];

test("CI installs every program that the suite runs", async () => {
  const script = await readFile(new URL("../.ci/run", import.meta.url), "utf8");

  const left = suiteTools.filter(
    (tool) => !new RegExp(`(command -v|sbin/)\\s*${tool}(-headless-shell)? `).test(script),
  );

  expect(left).toEqual(given);
});
