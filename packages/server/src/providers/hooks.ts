import { defineHook } from "#foundation";
import type { ProviderDefinition } from "./custom-provider.ts";

export interface ProviderStats {
  readonly integrations: number;
  readonly connections: number;
}

/** Asks how much the environment uses each provider, by ids; those without an integration are absent. */
export const providerStats = defineHook<
  Readonly<Record<never, never>>,
  ReadonlyMap<string, ProviderStats>
>("providers.stats");

export interface ProviderChanged {
  readonly slug: string;
  readonly definition: ProviderDefinition;
}

/** Runs in the transaction that stores a new version of a custom provider. */
export const customProviderChanged = defineHook<ProviderChanged>("providers.customProviderChanged");
