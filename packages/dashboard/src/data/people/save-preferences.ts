import type { Preferences, TableLook } from "../../start/stored-preferences.ts";
import { callApi } from "../api.ts";

/** As many as the server keeps of one table, and as long as a name may be there. */
const [MOST_COLUMNS, LONGEST_NAME] = [200, 300];

/** Has the server keep how a person has set the tables; throws ApiError. */
export async function savePreferences({ tables, isCompact }: Preferences): Promise<void> {
  const body = Object({
    tables: Object.fromEntries(Object.entries(tables).map(([id, look]) => [id, boundedOf(look)])),
    rows: isCompact ? "compact" : "normal",
  });
  await callApi("setOwnPreferences", { body });
}

function boundedOf({ hidden, order, widths = {} }: TableLook): TableLook {
  const bounded = (names: readonly string[] | undefined) =>
    names?.filter((name) => name.length <= LONGEST_NAME).slice(0, MOST_COLUMNS);
  const sized = bounded(Object.keys(widths)) ?? [];
  return {
    hidden: bounded(hidden),
    order: bounded(order),
    widths: Object.fromEntries(sized.map((name) => [name, widths[name] ?? 0])),
  };
}
