import { createContext, useContext } from "react";
import { chooseTexts, type Texts } from "./texts.ts";

/** The texts of the page's language, for every part of it. */
export const TextsContext = createContext<Texts>(chooseTexts("en").texts);

export function useTexts(): Texts {
  return useContext(TextsContext);
}
