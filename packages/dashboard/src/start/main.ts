import "../styles/index.css";
import { partsOfPage } from "./base-path.ts";
import { askWhoIsThere } from "./early-answer.ts";
import { takeLinkToken } from "./link-token.ts";
import { accessScreens, accountScreens, findScreen } from "./screen-modules.ts";
import { paintTheme } from "./stored-preferences.ts";

// Small, so that it runs at once: what the page will need is asked for at the same time, and not one after the other.
takeLinkToken();
paintTheme();

const parts = partsOfPage();
const [first = ""] = parts;
const root = document.getElementById("root");
if (!Object.hasOwn(accessScreens, first)) {
  askWhoIsThere();
  showFrame();
}
const screen = findScreen(parts)?.();
// Who shows the screen loads it as well, and finds the error.
screen?.catch(() => undefined);
if (root !== null) void import("../app.tsx").then(async ({ showApp }) => await showApp(root));

/** What stands around every screen, without its words, for who has signed in in this browser. */
function showFrame(): void {
  const hasSession = document.querySelector("meta[name=jackfield-dashboard][data-session]");
  const frame = document.querySelector<HTMLTemplateElement>("template#frame");
  if (hasSession === null || frame === null) return;
  const shown = frame.content.cloneNode(true);
  root?.append(shown);
  if (Object.hasOwn(accountScreens, first) || !/^[\w-]+$/.test(first)) return;
  for (const place of root?.querySelectorAll("[data-environment]") ?? []) place.textContent = first;
}
