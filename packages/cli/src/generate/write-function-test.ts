import type { BuiltFunction } from "../project/build-project.ts";

/** A vitest file that replays a function's recording. */
export function writeFunctionTest({
  integrationId,
  functionName,
  file,
}: Pick<BuiltFunction, "integrationId" | "functionName" | "file">): string {
  const module = `../${file.split("/").slice(1).join("/").replace(/\.ts$/, ".js")}`;
  return `import { replay } from "jackfield/test";
import { expect, test } from "vitest";
import definition from "${module}";

test("${integrationId}/${functionName} does with the recorded answers what it did", async () => {
  const recording = new URL("./${functionName}.test.json", import.meta.url);

  expect(await replay(definition, recording)).toEqual([]);
});
`;
}
