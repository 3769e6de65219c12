import type { ProviderEntry } from "./provider-entry.ts";

/** All products with their ways to connect, by name. */
export function writeProviderIndex(entries: readonly ProviderEntry[]): string {
  const families = Map.groupBy(entries, ({ family }) => family);
  const rows = [...families.values()]
    .toSorted((a, b) => nameOf(a).localeCompare(nameOf(b), "en"))
    .map((variants) => {
      const links = variants.map(({ id, auth_mode: mode }) => `[\`${id}\`](./${id}.md) (${mode})`);
      return `| ${nameOf(variants)} | ${links.join(", ")} |`;
    });
  return [
    "# All providers",
    "",
    `${entries.length} providers of ${families.size} products. Each has a page that explains how to register an app, which fields to fill in, how to connect, and how to make a call.`,
    "",
    "| Product | Providers |",
    "|---|---|",
    ...rows,
    "",
  ].join("\n");
}

function nameOf([first]: readonly ProviderEntry[]): string {
  return first?.family_name ?? "";
}
