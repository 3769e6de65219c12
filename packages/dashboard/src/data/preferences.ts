import { useSyncExternalStore } from "react";
import {
  changePreferences,
  onPreferences,
  type Preferences,
  preferencesOfBrowser,
  type TableLook,
} from "../start/stored-preferences.ts";

export function usePreferences(): Preferences {
  return useSyncExternalStore(onPreferences, preferencesOfBrowser);
}

/** How a person has set a table. */
export function useTableLook(id: string): TableLook {
  return usePreferences().tables[id] ?? asItIs;
}

const asItIs: TableLook = {};

/** Changes how a table looks, here at once and soon for all browsers of the person. */
export function changeTable(id: string, change: TableLook): void {
  const { tables } = preferencesOfBrowser();
  changePreferences({ tables: { ...tables, [id]: { ...tables[id], ...change } }, isUnsaved: true });
  saveSoon();
}

export function changeRowHeight(isCompact: boolean): void {
  changePreferences({ isCompact, isUnsaved: true });
  saveSoon();
}

/** What the server keeps takes the place of what this browser does, unless that is newer. */
export function takePreferences(
  kept: { readonly tables: Preferences["tables"]; readonly rows: string } | null | undefined,
): void {
  if (preferencesOfBrowser().isUnsaved) saveSoon();
  else if (kept) changePreferences({ tables: kept.tables, isCompact: kept.rows === "compact" });
}

const SAVE_AFTER_MS = 500;
let saving: ReturnType<typeof setTimeout> | undefined;

/** Without an answer the choice holds in this browser alone, and is sent again when the page is loaded. */
function saveSoon(): void {
  clearTimeout(saving);
  saving = setTimeout(async () => {
    const sent = preferencesOfBrowser();
    const { savePreferences } = await import("./people/save-preferences.ts");
    await savePreferences(sent).then(
      () => {
        const { tables, isCompact } = preferencesOfBrowser();
        const isSame = tables === sent.tables && isCompact === sent.isCompact;
        if (isSame) changePreferences({ isUnsaved: false });
      },
      () => undefined,
    );
  }, SAVE_AFTER_MS);
}
