import { createContext, useContext } from "react";
import { english, type Texts } from "./english.ts";

/** The texts of the page's language, for every part of it. */
const TextsContext = createContext<Texts>(english);

export function useTexts(): Texts {
  return useContext(TextsContext);
}
