// Owns providers as checked data: entries, their schema, and the templates in them.
export { isReservedAuthorizationParam } from "./check-provider.ts";
export {
  type Catalogue,
  CatalogueError,
  getProvider,
  listProviders,
  loadCatalogue,
} from "./load-catalogue.ts";
export type { AuthModeId, Field, Provider, ProviderOf, RetryHints } from "./schema.ts";
export {
  compileTemplate,
  isWebAddress,
  listReferences,
  renderOptional,
  renderTemplate,
  type Template,
  TemplateError,
  type TemplateValues,
} from "./template.ts";
