export type Theme = "light" | "dark" | "system";

let following = new AbortController();

/** Paints the page in the asked theme, and follows the system where it should. */
export function followTheme(
  asked: Theme,
  paint: (theme: "light" | "dark") => void,
  systemTheme?: "light" | "dark",
): void {
  const system = window.matchMedia("(prefers-color-scheme: dark)");
  const apply = (): void => {
    const own = systemTheme ?? (system.matches ? "dark" : "light");
    const theme = asked === "system" ? own : asked;
    document.documentElement.dataset["theme"] = theme;
    paint(theme);
  };
  following.abort();
  following = new AbortController();
  system.addEventListener("change", apply, { signal: following.signal });
  apply();
}

/** Puts a colour of the operator's on the page, with a text colour that stands out on it. */
export function setPrimaryColor(hexColor: string): void {
  if (!/^#[0-9a-f]{6}$/i.test(hexColor)) return;
  const { style } = document.documentElement;
  style.setProperty("--primary", hexColor);
  style.setProperty("--on-primary", textColorOn(hexColor));
}

/** Black or white, whichever stands out more on the colour. */
export function textColorOn(hexColor: string): "#000000" | "#ffffff" {
  return contrastOf(hexColor, "#000000") > contrastOf(hexColor, "#ffffff") ? "#000000" : "#ffffff";
}

/** How much two colours stand out from each other, from 1 to 21 (WCAG 2.2). */
export function contrastOf(one: string, other: string): number {
  const [light = 0, dark = 0] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

/** Relative luminance (WCAG 2.2). */
function luminanceOf(hexColor: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(hexColor.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
