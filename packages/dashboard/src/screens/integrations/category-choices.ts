import type { Choice } from "../../parts/filters/choice-filter.tsx";

/** Categories with readable names, by name; one that an entry of your own made up is shown as it is written. */
export function categoryChoices(
  categories: readonly string[],
  texts: Readonly<Record<string, string>>,
): readonly Choice[] {
  return [...new Set(categories)]
    .map((id) => ({ id, text: texts[id] ?? id }))
    .toSorted((a, b) => a.text.localeCompare(b.text));
}
