import { readdir, readFile } from "node:fs/promises";
import { listProviders } from "@jackfield/catalogue";
import { expect, test } from "vitest";
import { wordHelp } from "../../packages/connect-ui/src/texts/helps/help-words.ts";
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

/** Explanations of all fields that people are asked for. */
function readHelps(): string[] {
  return listProviders().flatMap(({ connection_config: config, ...entry }) => {
    const credentials = "credentials" in entry ? entry.credentials : undefined;
    return [config, credentials]
      .flatMap((fields) => Object.values(fields ?? {}))
      .filter(({ automated, hidden }) => automated !== true && hidden !== true)
      .flatMap(({ description }) => description ?? []);
  });
}

test.each([
  ["de", "Zu erstellen unter Settings > API. Beginnt mit sk_."],
  ["fr", "À créer sous Settings > API. Commence par sk_."],
  ["es", "Se crea en Settings > API. Empieza por sk_."],
  ["ja", "Settings > API で作成します。sk_ で始まります。"],
] as const)(
  "%s explains two fields in five, and leaves whole what it has no words for",
  async (language, worded) => {
    const { words } = (await loadTexts(language)).texts.helps;
    const helps = readHelps();

    const known = helps.filter((help) => wordHelp(words, help) !== help);

    expect(known.length / helps.length).toBeGreaterThan(0.4);
    expect(wordHelp(words, "Create it under Settings > API; it starts with sk_.")).toBe(worded);
    expect(
      wordHelp(words, "Create it in the dashboard under Settings > API; it starts with sk_."),
    ).toBe(worded);
    expect(wordHelp(words, "Find it under API keys; it starts with a_, b_ or c_.")).toContain(
      "a_ / b_ / c_",
    );
    expect(wordHelp(words, "Create it under Settings > API; it is shown once.")).toContain(
      words?.shownOnce(),
    );
    for (const other of [
      "Create it under API keys of a project.",
      "Create it under Settings > API; it starts with a letter.",
      "Find it under Settings, or in the dashboard.",
    ]) {
      expect(wordHelp(words, other)).toBe(other);
    }
    expect(Object.keys(words?.sentences ?? {}).filter((help) => !helps.includes(help))).toEqual([]);
  },
);

test.each(["de", "fr", "es", "ja"] as const)(
  "%s has its own words for every sentence of the server about accounts that a service refused",
  async (language) => {
    const file = "../../packages/server/src/connect/attempts/failure.ts";
    const source = await readFile(new URL(file, import.meta.url), "utf8");
    const sentences = [...source.matchAll(/"(The service (?:did not|cannot) [^"]+)"/g)].map(
      ([, sentence = ""]) => sentence,
    );

    const { texts } = await loadTexts(language);

    expect(Object.keys(texts.refusals).toSorted()).toEqual(sentences.toSorted());
    expect(sentences.length).toBeGreaterThan(3);
  },
);
