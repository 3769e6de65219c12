import { followTheme } from "@jackfield/ui/theme.ts";

/**
 * What a browser keeps of a person's taste. Nothing else is stored in it, and signing out keeps it. How tables look is
 * kept by the server as well, for all browsers of the person.
 */
export interface Preferences {
  readonly theme: ThemeChoice;
  /** How tables look, by their names. */
  readonly tables: Readonly<Record<string, TableLook>>;
  /** Whether rows are less high. */
  readonly isCompact: boolean;
  /** Whether the server does not have them yet. */
  readonly isUnsaved: boolean;
  /** Whether single keys are shortcuts. */
  readonly shortcuts: boolean;
  /** Whether times are shown in UTC, and not by the reader's clock. */
  readonly utc: boolean;
}

export interface TableLook {
  /** Columns that are not shown. */
  readonly hidden?: readonly string[] | undefined;
  /** Columns in their order; others follow. */
  readonly order?: readonly string[] | undefined;
  /** Pixels, of columns that were sized. */
  readonly widths?: Readonly<Record<string, number>> | undefined;
}

export const themeChoices = ["system", "light", "dark", "contrast"] as const;

type ThemeChoice = (typeof themeChoices)[number];

const KEY = "jackfield-preferences";
const initial: Preferences = {
  theme: "system",
  tables: {},
  isCompact: false,
  isUnsaved: false,
  shortcuts: true,
  utc: false,
};

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
    const { theme, tables, isCompact, isUnsaved, shortcuts, utc, hiddenColumns } = Object(stored);
    return {
      theme: themeChoices.find((choice) => choice === theme) ?? initial.theme,
      tables: toLooks(tables ?? hiddenColumns),
      isCompact: isCompact === true,
      isUnsaved: isUnsaved === true,
      shortcuts: shortcuts !== false,
      utc: utc === true,
    };
  } catch {
    return initial;
  }
}

/** What is no look of a table is left out; an earlier page stored hidden columns alone. */
function toLooks(stored: unknown): Preferences["tables"] {
  const namesOf = (names: unknown) => (Array.isArray(names) ? names.map(String) : undefined);
  return Object.fromEntries(
    Object.entries(Object(stored)).map(([table, look]) => {
      const { hidden, order, widths } = Object(look);
      const sized = Object.entries(Object(widths)).map(([name, width]) => [name, Number(width)]);
      const isSized = sized.length > 0 && sized.every(([, width]) => Number(width) > 0);
      const own = { hidden: namesOf(hidden ?? look), order: namesOf(order) };
      return [table, isSized ? { ...own, widths: Object.fromEntries(sized) } : own];
    }),
  );
}
