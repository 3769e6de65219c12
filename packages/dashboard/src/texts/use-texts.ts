import { createContext, useContext } from "react";
import { english, type Texts } from "./english.ts";

/** The texts of the page's language, for every part of it. */
export const TextsContext = createContext<Texts>(english);

type Language = "english";

const LanguageContext = createContext<Language>("english");

export function useTexts(): Texts {
  return useContext(TextsContext);
}

/** Texts of few screens, from `texts/screens`: they are loaded with these. */
export function useTextsOf<Part>(texts: Readonly<Record<Language, Part>>): Part {
  return texts[useContext(LanguageContext)];
}
