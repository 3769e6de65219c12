import { expect, test } from "vitest";
import { english } from "./english.ts";
import { chooseLanguage, loadTexts } from "./languages.ts";

test.each([
  [["de"], "de"],
  [["de-CH"], "de"],
  [["pt-BR", "es-MX", "en"], "es"],
  [[undefined, "JA_jp"], "ja"],
  [["en-GB", "fr"], "en"],
  [["tlh", "constructor", ""], "en"],
  [[], "en"],
])("of %j the page speaks %s", (wanted, spoken) => {
  expect(chooseLanguage(wanted)).toBe(spoken);
});

test.each(["de", "fr", "es", "ja"] as const)(
  "%s says everything, and in its own words",
  async (language) => {
    const { texts, language: spoken } = await loadTexts(language);

    const own = list(texts);
    const same = [...list(english)].filter(([name, text]) => own.get(name) === text);

    expect(spoken).toBe(language);
    expect([...own.values()].filter((text) => text.trim() === "")).toEqual([]);
    expect(same.map(([name]) => name).filter((name) => !alike.has(name))).toEqual([]);
  },
);

/** What some languages write as English does. */
const alike = new Set([
  "optional",
  "linkCode",
  "matches",
  "things.webhooks",
  "things.leads",
  "things.deals",
  "things.playlists",
  "things.workflows",
  "poweredBy",
]);

/** Each text by its path; those that are made of a name or a number as they are with samples. */
function list(texts: object, path = ""): Map<string, string> {
  return new Map(
    Object.entries(texts).flatMap(([name, value]): [string, string][] => {
      if (typeof value === "string") return [[path + name, value]];
      if (typeof value === "function") return [[path + name, String(value("Acme", "Acme"))]];
      return [...list(value, `${path}${name}.`)];
    }),
  );
}
