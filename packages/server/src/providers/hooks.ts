import { defineHook } from "#platform";
import type { ProviderDefinition } from "./custom-provider.ts";

export interface ProviderChanged {
  readonly slug: string;
  readonly definition: ProviderDefinition;
}

/** Runs in the transaction that stores a new version of a custom provider. */
export const customProviderChanged = defineHook<ProviderChanged>("providers.customProviderChanged");
