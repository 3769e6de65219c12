import { followTheme } from "@jackfield/ui/theme.ts";

/** What a browser keeps of a person's taste. Nothing else is stored in it, and signing out keeps it. */
export interface Preferences {
  readonly theme: ThemeChoice;
  /** Columns that are not shown, by table. */
  readonly hiddenColumns: Readonly<Record<string, readonly string[]>>;
  /** Whether single keys are shortcuts. */
  readonly shortcuts: boolean;
  /** Whether times are shown in UTC, and not by the reader's clock. */
  readonly utc: boolean;
}

export const themeChoices = ["system", "light", "dark", "contrast"] as const;

type ThemeChoice = (typeof themeChoices)[number];

const KEY = "jackfield-preferences";
const initial: Preferences = { theme: "system", hiddenColumns: {}, shortcuts: true, utc: false };

/** Whether the system is set to more contrast; its own theme then is the strong one. */
const moreContrast = window.matchMedia("(prefers-contrast: more)");
moreContrast.addEventListener("change", () => paintTheme());

let current = readPreferences();
const listeners = new Set<() => void>();

export function preferencesOfBrowser(): Preferences {
  return current;
}

/** Gives what ends it. */
export function onPreferences(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function changePreferences(change: Partial<Preferences>): void {
  current = { ...current, ...change };
  try {
    window.localStorage.setItem(KEY, JSON.stringify(current));
  } catch {
    // A browser that stores nothing keeps the choice for this visit.
  }
  for (const listener of listeners) listener();
}

/** Paints the page as it was chosen. */
export function paintTheme({ theme }: Preferences = current): void {
  const isStrong = theme === "contrast" || (theme === "system" && moreContrast.matches);
  document.documentElement.toggleAttribute("data-contrast", isStrong);
  followTheme(theme === "contrast" ? "system" : theme, () => undefined);
}

function readPreferences(): Preferences {
  try {
    const stored: unknown = JSON.parse(window.localStorage.getItem(KEY) ?? "{}");
    const { theme, hiddenColumns, shortcuts, utc } = Object(stored);
    return {
      theme: themeChoices.find((choice) => choice === theme) ?? initial.theme,
      hiddenColumns: toColumns(hiddenColumns),
      shortcuts: shortcuts !== false,
      utc: utc === true,
    };
  } catch {
    return initial;
  }
}

function toColumns(stored: unknown): Preferences["hiddenColumns"] {
  return Object.fromEntries(
    Object.entries(Object(stored)).flatMap(([table, names]) =>
      Array.isArray(names) ? [[table, names.map(String)]] : [],
    ),
  );
}
