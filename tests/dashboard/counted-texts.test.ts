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
const verbs = /: (?:The sync )?1 (?:does|goes|keeps|webhook waits|event belongs)\b/;

/** What follows in the sentence is about one, and does not speak of several. */
const ofOne =
  /\b1 (?!more |or more |that |of )(?:[a-z]+ )+(?:their|them|they|these|those|are|were|have)\b/;

/** Texts that are loaded with their screens. */
async function readScreenTexts(): Promise<unknown[]> {
  const files = (await readdir(texts, { recursive: true })).filter((name) =>
    /\/.*\.ts$/.test(name),
  );
  return await Promise.all(
    files.map(async (name) => ({ ...(await import(String(new URL(name, texts)))) })),
  );
}

test("no text speaks of 1 of something in the plural", async () => {
  const ofScreens = await readScreenTexts();
  const said = [english, ...ofScreens].flatMap((all) => saidOfOne(all, "texts"));

  const several = /\b1 (?:[a-z]+ )?(?!is\b|was\b|has\b)[a-z]+[^s]s\b/;
  const plurals = said.filter(
    (text) => !verbs.test(text) && (ofOne.test(text) || several.test(text)),
  );
  expect(ofScreens).not.toHaveLength(0);
  expect(said.length).toBeGreaterThan(150);
  expect(plurals).toEqual([]);
});

test("texts call it a webhook endpoint, as the glossary does", async () => {
  const said = [english, ...(await readScreenTexts())].flatMap((all) => wordsIn(all, "texts"));

  expect(said.length).toBeGreaterThan(1000);
  expect(said.filter((text) => /: .*\breceivers?\b/i.test(text))).toEqual([]);
});

/** All that is said, with the name of the text before it. */
function wordsIn(text: unknown, path: string): string[] {
  if (typeof text === "string") return [`${path}: ${text}`];
  if (typeof text === "function") return [`${path}: ${String(text("1", "1", "1", "1"))}`];
  if (typeof text !== "object" || text === null) return [];
  return Object.entries(text).flatMap(([name, value]) => wordsIn(value, `${path}.${name}`));
}
