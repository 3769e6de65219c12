import "../styles/index.css";
import { partsOfPage } from "./base-path.ts";
import { askWhoIsThere } from "./early-answer.ts";
import { environmentOf } from "./environment-address.ts";
import { takeLinkToken } from "./link-token.ts";
import { accessScreens, findScreen, isOfAccount } from "./screen-modules.ts";
import { paintTheme } from "./stored-preferences.ts";

// Small, so that it runs at once: what the page will need is asked for at the same time, and not one after the other.
const MOST_PAINT_MS = 100;
takeLinkToken();
paintTheme();

const parts = partsOfPage();
const [first = ""] = parts;
const root = document.getElementById("root");
if (!Object.hasOwn(accessScreens, first)) {
  askWhoIsThere();
  showFrame();
}
if (root !== null) void load(root).catch(() => showFailure(root));

/** Screen and application, at the same time. */
async function load(place: HTMLElement): Promise<void> {
  if (place.hasChildNodes()) await framePainted();
  const screen = findScreen(parts)?.();
  // Who shows the screen loads it as well, and finds the error.
  screen?.catch(() => undefined);
  const { showApp } = await import("../app.tsx");
  await showApp(place);
}

/** With scripts of the browser's cache, running them would come before the first paint. A hidden page is not painted. */
async function framePainted(): Promise<void> {
  await new Promise<void>((resolve) => {
    setTimeout(resolve, MOST_PAINT_MS);
    requestAnimationFrame(() => setTimeout(resolve));
  });
}

/** A script did not arrive: what shows errors otherwise is not there either. */
function showFailure(place: HTMLElement): void {
  const failure = document.querySelector<HTMLTemplateElement>("template#failure");
  if (failure === null) return;
  place.replaceChildren(failure.content.cloneNode(true));
  place.querySelector("button")?.addEventListener("click", () => window.location.reload());
}

/** What stands around every screen, without its words, for who has signed in in this browser. */
function showFrame(): void {
  const hasSession = document.querySelector("meta[name=jackfield-dashboard][data-session]");
  const frame = document.querySelector<HTMLTemplateElement>("template#frame");
  if (hasSession === null || frame === null) return;
  const shown = frame.content.cloneNode(true);
  root?.append(shown);
  const name = environmentOf(first);
  if (isOfAccount(first) || !/^[\w-]+$/.test(name)) return;
  for (const place of root?.querySelectorAll("[data-environment]") ?? []) place.textContent = name;
}
