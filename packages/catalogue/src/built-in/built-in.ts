import { readFileSync } from "node:fs";
import type { Provider } from "../schema.ts";
import { type CompiledCatalogue, openCompiledCatalogue } from "./compiled-catalogue.ts";

const file = new URL("../../generated/catalogue.jsonl", import.meta.url);

// Process-wide: a file of the release, read once.
let opened: CompiledCatalogue | undefined;

function getCatalogue(): CompiledCatalogue {
  opened ??= openCompiledCatalogue(readFileSync(file, "utf8"));
  return opened;
}

interface Added {
  /** Those of the operator's folder; they come before the built-in ones. */
  readonly providers: ReadonlyMap<string, Provider>;
  /** How often they were replaced. */
  readonly version: number;
}

// Process-wide: the folder is a setting of the process, and entries are looked up where there is no context.
let added: Added = { providers: new Map(), version: 0 };

/** Replaces the providers that this process has next to the built-in ones. */
export function setAddedProviders(providers: readonly Provider[]): void {
  added = {
    providers: new Map(providers.map((provider) => [provider.id, provider])),
    version: added.version + 1,
  };
}

/** A provider of the folder or of the built-in catalogue; the same object until it changes. */
export function getProvider(id: string): Provider | undefined {
  return added.providers.get(id) ?? getCatalogue().getProvider(id);
}

/** All providers in the order of their ids; those that are not in use are parsed for this call. */
export function listProviders(): readonly Provider[] {
  if (added.providers.size === 0) return getCatalogue().listProviders();
  const builtIn = getCatalogue()
    .listProviders()
    .filter(({ id }) => !added.providers.has(id));
  return [...builtIn, ...added.providers.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

/** Ids of all providers, without a look at the entries. */
export function listProviderIds(): readonly string[] {
  if (added.providers.size === 0) return getCatalogue().ids;
  return [...new Set([...getCatalogue().ids, ...added.providers.keys()])].toSorted();
}

/** Whether the built-in catalogue has the id. */
export function isBuiltIn(id: string): boolean {
  return getCatalogue().ids.includes(id);
}

/** Names under which providers send the state back to a callback; `state` comes first. */
export function listCallbackStateNames(): readonly string[] {
  const own = [...added.providers.values()].flatMap((entry) =>
    "callback" in entry ? [entry.callback.state] : [],
  );
  return [...new Set([...getCatalogue().stateNames, ...own])];
}

/** SHA-256 of the built-in catalogue, hex, and a count of other changes: the same until an entry changes. */
export function getCatalogueHash(): string {
  const { hash } = getCatalogue();
  return added.version === 0 ? hash : `${hash}-${added.version}`;
}
