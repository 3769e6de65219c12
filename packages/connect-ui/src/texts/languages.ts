import { english, type Texts } from "./english.ts";

const loaders = {
  de: async () => await import("./german.ts"),
  fr: async () => await import("./french.ts"),
  es: async () => await import("./spanish.ts"),
  ja: async () => await import("./japanese.ts"),
};

export type Language = "en" | keyof typeof loaders;

export interface Spoken {
  readonly language: Language;
  readonly texts: Texts;
}

export const spokenEnglish: Spoken = { language: "en", texts: english };

/** The first of the wanted languages that there are texts in; English where there is none. */
export function chooseLanguage(wanted: readonly (string | undefined)[]): Language {
  const tags = wanted.map((tag) => tag?.toLowerCase().split(/[-_]/, 1)[0]);
  return tags.find(isLanguage) ?? "en";
}

function isLanguage(tag: string | undefined): tag is Language {
  return tag === "en" || (tag !== undefined && Object.hasOwn(loaders, tag));
}

/** Texts come with a request of their own; the page speaks English where that fails. */
export async function loadTexts(language: Language): Promise<Spoken> {
  if (language === "en") return spokenEnglish;
  try {
    return { language, texts: (await loaders[language]()).default };
  } catch {
    return spokenEnglish;
  }
}
