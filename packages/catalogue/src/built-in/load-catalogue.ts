import { readdirSync, readFileSync } from "node:fs";
import { type RawEntry, readFamily } from "../reading/read-family.ts";
import type { Provider } from "../schema.ts";

export interface Catalogue {
  getProvider(id: string): Provider | undefined;
  /** In the order of their ids. */
  listProviders(): readonly Provider[];
}

/** An entry that breaks the schema or a rule; the message has one line for each fault. */
export class CatalogueError extends Error {
  override name = "CatalogueError";
}

/** What a folder of provider files holds, in the order of the ids. */
export interface FolderReading {
  readonly providers: readonly Provider[];
  readonly entries: readonly RawEntry[];
  readonly faults: readonly string[];
}

/** Reads every file of the folder and checks each entry by itself. */
export function readFolder(folder: URL): FolderReading {
  const faults: string[] = [];
  const found = new Map<string, { provider: Provider; entry: RawEntry }>();
  for (const name of readdirSync(folder).toSorted()) {
    if (!name.endsWith(".yaml")) continue;
    const reading = readFamily(name, readFileSync(new URL(name, folder), "utf8"));
    faults.push(...reading.faults);
    for (const [index, provider] of reading.providers.entries()) {
      if (found.has(provider.id)) faults.push(`${name}: ${provider.id} exists twice`);
      found.set(provider.id, { provider, entry: reading.entries[index] ?? {} });
    }
  }
  const sorted = [...found.values()].toSorted((a, b) => (a.provider.id < b.provider.id ? -1 : 1));
  return {
    providers: sorted.map(({ provider }) => provider),
    entries: sorted.map(({ entry }) => entry),
    faults,
  };
}

/** A catalogue of a folder's files; throws CatalogueError with all faults at once. */
export function loadCatalogue(folder: URL): Catalogue {
  const { providers, faults } = readFolder(folder);
  if (faults.length > 0) throw new CatalogueError(faults.join("\n"));
  const byId = new Map(providers.map((provider) => [provider.id, provider]));
  return { getProvider: (id) => byId.get(id), listProviders: () => providers };
}
