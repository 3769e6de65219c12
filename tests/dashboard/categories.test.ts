import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { categoryTexts } from "../../packages/dashboard/src/texts/screens/categories.ts";

test("every category of the catalogue has a name that people read", () => {
  const file = new URL("../../packages/catalogue/generated/catalogue.jsonl", import.meta.url);
  const entries = readFileSync(file, "utf8").split("\n").filter(Boolean);

  const used = new Set(entries.flatMap((line) => JSON.parse(line).categories ?? []));

  expect(entries.length).toBeGreaterThan(100);
  expect([...used].toSorted()).toEqual(Object.keys(categoryTexts.english).toSorted());
});
