import type { PageParameters } from "./page-parameters.ts";
import type { Session } from "./platform.ts";

let following = new AbortController();

/** Puts the session's theme on the page, and follows the system where it should. */
export function applyTheme(
  settings: Session["connectUISettings"],
  parameters: Pick<PageParameters, "theme" | "systemTheme">,
): void {
  const system = window.matchMedia("(prefers-color-scheme: dark)");
  const asked = parameters.theme ?? settings?.defaultTheme ?? "system";
  const paint = (): void => {
    const own = parameters.systemTheme ?? (system.matches ? "dark" : "light");
    const theme = asked === "system" ? own : asked;
    const root = document.documentElement;
    root.dataset["theme"] = theme;
    const primary = settings?.theme?.[theme]?.primary;
    if (primary === undefined || !isHexColor(primary)) return;
    root.style.setProperty("--primary", primary);
    root.style.setProperty("--on-primary", textColorOn(primary));
  };
  following.abort();
  following = new AbortController();
  system.addEventListener("change", paint, { signal: following.signal });
  paint();
}

function isHexColor(text: string): boolean {
  return /^#[0-9a-f]{6}$/i.test(text);
}

/** Black or white, whichever stands out more on the colour (WCAG 2.2, relative luminance). */
export function textColorOn(hexColor: string): "#000000" | "#ffffff" {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(hexColor.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  const onBlack = (luminance + 0.05) / 0.05;
  const onWhite = 1.05 / (luminance + 0.05);
  return onBlack > onWhite ? "#000000" : "#ffffff";
}
