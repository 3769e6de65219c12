import { expect, test } from "vitest";
import { english } from "./english.ts";

/** What a text says where each of its values is one. */
function saidOfOne(text: unknown, path: string): string[] {
  if (typeof text === "function") return [`${path}: ${String(text("1", "1", "1", "1"))}`];
  if (typeof text !== "object" || text === null) return [];
  return Object.entries(text).flatMap(([name, value]) => saidOfOne(value, `${path}.${name}`));
}

/** A name that is given, and a verb after it. */
const verbs = /: (?:The sync )?1 (?:goes|keeps|webhook waits|event belongs)\b/;

test("no text speaks of 1 of something in the plural", () => {
  const said = Object.entries(english).flatMap(([name, texts]) => saidOfOne(texts, name));

  const plurals = said.filter(
    (text) => !verbs.test(text) && /\b1 (?:[a-z]+ )?(?!is\b|was\b|has\b)[a-z]+[^s]s\b/.test(text),
  );
  expect(said.length).toBeGreaterThan(100);
  expect(plurals).toEqual([]);
});
