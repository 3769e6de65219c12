import type { Provider } from "../schema.ts";
import { readFamily } from "./read-family.ts";

/** A provider file outside of the catalogue: what can be used, and what is wrong with the rest. */
export interface ProviderFile {
  /** Entries without a fault. */
  readonly providers: readonly Provider[];
  /** One line each, with file, entry and path. */
  readonly faults: readonly string[];
}

/** Reads one family; its file may have any name. */
export function readProviderFile(name: string, text: string): ProviderFile {
  const { providers, faults: all } = readFamily(name, text);
  const faults = all.filter((fault) => !/: family is [a-z0-9-]+$/.test(fault));
  const isRight = ({ id }: Provider) =>
    !faults.some((fault) => fault.startsWith(`${name}: ${id}: `));
  return { providers: providers.filter(isRight), faults };
}
