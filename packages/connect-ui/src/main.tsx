import { createRoot } from "react-dom/client";
import { applyTheme } from "./apply-theme.ts";
import { ConnectPage } from "./connect-page.tsx";
import { findOpener } from "./opener.ts";
import { takePageParameters } from "./page-parameters.ts";
import { findHost } from "./platform.ts";
import { chooseTexts } from "./texts.ts";
import { TextsContext } from "./use-texts.ts";
import "./styles/page.css";

const parameters = takePageParameters();
const opener = findOpener(parameters.openerOrigin);
const { lang, texts } = chooseTexts(parameters.lang);
document.documentElement.lang = lang;
document.documentElement.classList.toggle("framed", opener.isFrame);
document.title = texts.documentTitle;
applyTheme(undefined, parameters);

const root = document.getElementById("root");
if (root !== null) {
  createRoot(root).render(
    <TextsContext value={texts}>
      <ConnectPage host={findHost()} parameters={parameters} opener={opener} />
    </TextsContext>,
  );
}
