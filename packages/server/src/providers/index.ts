// Owns what providers there are: the catalogue, the operator's folder, and those of an environment's own.
// Tables: custom_providers, provider_stage_counts. Integrations keep the definition of a custom provider that they work by.
export { type ProviderDefinition, toProvider } from "./custom-provider.ts";
export { type FoundProvider, findProvider } from "./find-provider.ts";
export { watchProvidersFolder } from "./folder-providers.ts";
export { customProviderChanged, type ProviderStats, providerStats } from "./hooks.ts";
export { type Fields, presentClientFields, presentFields } from "./present-provider.ts";
export { providers } from "./slice.ts";
export { countStage, flushStageCounts } from "./stages/count-stage.ts";
