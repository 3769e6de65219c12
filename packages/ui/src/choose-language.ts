/** The texts of the asked language, or of its main language; English otherwise. */
export function chooseLanguage<Texts>(
  languages: ReadonlyMap<string, Texts>,
  english: Texts,
  lang: string | undefined,
): { lang: string; texts: Texts } {
  for (const tag of [lang ?? "", lang?.split("-", 1)[0] ?? ""]) {
    const texts = languages.get(tag.toLowerCase());
    if (texts !== undefined) return { lang: tag.toLowerCase(), texts };
  }
  return { lang: "en", texts: english };
}
