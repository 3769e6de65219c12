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

/** What follows in the sentence is about one, and does not speak of several. */
const ofOne =
  /\b1 (?!more |or more |that |of )(?:[a-z]+ )+(?:their|them|they|these|those|are|were|have)\b/;

/** Texts that are loaded with their screens. */
async function readScreenTexts(): Promise<unknown[]> {
  const folders = ["screens/", "functions/", "syncs/"].map((name) => new URL(name, texts));
  const files = await Promise.all(
    folders.map(async (folder) => (await readdir(folder)).map((name) => `${folder}${name}`)),
  );
  return await Promise.all(files.flat().map(async (file) => ({ ...(await import(file)) })));
}

test("no text speaks of 1 of something in the plural", async () => {
  const ofScreens = await readScreenTexts();
  const said = [english, ...ofScreens].flatMap((all) => saidOfOne(all, "texts"));

  const plurals = said.filter(
    (text) =>
      ofOne.test(text) ||
      (!verbs.test(text) && /\b1 (?:[a-z]+ )?(?!is\b|was\b|has\b)[a-z]+[^s]s\b/.test(text)),
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
