import { readdir } from "node:fs/promises";
import { expect, test } from "vitest";
import { english } from "../../packages/dashboard/src/texts/english.ts";

const texts = new URL("../../packages/dashboard/src/texts/", import.meta.url);

/** What a text says where each of its values is one. */
function saidOfOne(text: unknown, path: string): string[] {
  if (typeof text === "function") return [`${path}: ${String(text("1", "1", "1", "1"))}`];
  if (typeof text !== "object" || text === null) return [];
  return Object.entries(text).flatMap(([name, value]) => saidOfOne(value, `${path}.${name}`));
}

/** A name that is given, and a verb after it. */
const verbs = /: (?:The sync )?1 (?:goes|keeps|webhook waits|event belongs)\b/;

/** Texts that are loaded with their screens. */
async function readScreenTexts(): Promise<unknown[]> {
  const folder = new URL("screens/", texts);
  const names = await readdir(folder);
  return await Promise.all(names.map(async (name) => ({ ...(await import(`${folder}${name}`)) })));
}

test("no text speaks of 1 of something in the plural", async () => {
  const ofScreens = await readScreenTexts();
  const said = [english, ...ofScreens].flatMap((all) => saidOfOne(all, "texts"));

  const plurals = said.filter(
    (text) => !verbs.test(text) && /\b1 (?:[a-z]+ )?(?!is\b|was\b|has\b)[a-z]+[^s]s\b/.test(text),
  );
  expect(ofScreens).not.toHaveLength(0);
  expect(said.length).toBeGreaterThan(150);
  expect(plurals).toEqual([]);
});
