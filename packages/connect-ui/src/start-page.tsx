import type { ReactNode } from "react";
import { createRoot } from "react-dom/client";
import { applyTheme } from "./apply-theme.ts";
import type { PageParameters } from "./page-parameters.ts";
import { chooseLanguage, loadTexts } from "./texts/languages.ts";
import { SpeakingPage } from "./texts/use-texts.tsx";
import "./styles/page.css";

/** Shows a page in the language of its address, or of the browser, and in the theme that is asked for. */
export async function startPage(
  {
    parameters,
    isFrame = false,
  }: {
    parameters: Pick<PageParameters, "lang" | "theme" | "systemTheme">;
    isFrame?: boolean;
  },
  content: ReactNode,
): Promise<void> {
  document.documentElement.classList.toggle("framed", isFrame);
  applyTheme(undefined, parameters);
  const spoken = await loadTexts(chooseLanguage([parameters.lang, ...navigator.languages]));
  document.title = spoken.texts.documentTitle;
  const root = document.getElementById("root");
  if (root !== null) {
    createRoot(root).render(<SpeakingPage initial={spoken}>{content}</SpeakingPage>);
  }
}
