import type { Provider } from "@jackfield/catalogue";

/** The page that lists all products with their ways to connect, as Markdown. */
export function writeProviderList(providers: readonly Provider[]): string {
  const families = Map.groupBy(providers, ({ family, id }) => family ?? id);
  const products = [...families.values()].toSorted((a, b) =>
    nameOf(a).localeCompare(nameOf(b), "en"),
  );
  const unverified = providers.filter((provider) => provider.unverified).length;
  return [
    "# Providers",
    "",
    "Made by `npm run generate` from `packages/catalogue/providers/`; [catalogue.md](catalogue.md) says how to add one.",
    "",
    `${providers.length} providers of ${products.length} products. ${unverified} are marked unverified: at least one of their facts comes from one source only. Make one connection with such a provider before you build on it.`,
    "",
    "| Product | Provider | Auth mode | Remarks |",
    "|---|---|---|---|",
    ...products.flatMap((variants) => variants.map((provider, index) => toRow(provider, index))),
    "",
  ].join("\n");
}

function nameOf([first]: readonly Provider[]): string {
  return first?.family_name ?? first?.display_name ?? "";
}

function toRow(provider: Provider, index: number): string {
  const { id, auth_mode: mode, unverified, deprecated, docs } = provider;
  const product = index === 0 ? nameOf([provider]) : "";
  const link = docs === undefined ? `\`${id}\`` : `[\`${id}\`](${docs})`;
  const remarks = [
    unverified ? "unverified" : "",
    deprecated === undefined ? "" : `deprecated: ${deprecated.reason}`,
  ].filter((remark) => remark !== "");
  return `| ${product} | ${link} | \`${mode}\` | ${remarks.join("; ")} |`;
}
