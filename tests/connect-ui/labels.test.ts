import { readdir, readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { loadTexts } from "../../packages/connect-ui/src/texts/languages.ts";

/** Every title of a field in the catalogue, as often as it is there. */
async function readTitles(): Promise<string[]> {
  const folder = new URL("../../packages/catalogue/providers/", import.meta.url);
  const files = (await readdir(folder)).filter((name) => name.endsWith(".yaml"));
  const texts = await Promise.all(
    files.map(async (name) => await readFile(new URL(name, folder), "utf8")),
  );
  return texts.flatMap((text) =>
    [...text.matchAll(/^\s+title: (.+)$/gm)].map(([, title = ""]) => title.replaceAll('"', "")),
  );
}

test.each(["de", "fr", "es", "ja"] as const)(
  "of what forms ask for, %s has words for three fields in four",
  async (language) => {
    const { texts } = await loadTexts(language);
    const titles = await readTitles();

    const known = titles.filter((title) => Object.hasOwn(texts.labels, title));

    expect(titles.length).toBeGreaterThan(500);
    expect(known.length / titles.length).toBeGreaterThan(0.75);
    // A title that no entry has any more is looked for by nobody.
    expect(Object.keys(texts.labels).filter((title) => !titles.includes(title))).toEqual([]);
  },
);
