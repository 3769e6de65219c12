// Owns providers as checked data: entries, their schema, and the templates in them.
export type { TemplateScope } from "./expression.ts";
export {
  type Catalogue,
  CatalogueError,
  getProvider,
  listProviders,
  loadCatalogue,
  readProvider,
} from "./load-catalogue.ts";
export { isReservedAuthorizationParam } from "./modes/oauth2.ts";
export type {
  AfterConnect,
  Revocation,
  Saved,
  TokenErrors,
  TokenResponse,
  TokenStep,
} from "./schema/calls.ts";
export type { SignedToken } from "./schema/oauth.ts";
export type { RetryHints } from "./schema/shared.ts";
export type { Field, JsonTemplate } from "./schema/values.ts";
export type { AuthModeId, Provider, ProviderOf } from "./schema.ts";
export {
  compileTemplate,
  isWebAddress,
  listReferences,
  literalTemplate,
  renderFirst,
  renderOptional,
  renderRaw,
  renderTemplate,
  type Template,
  TemplateError,
  type TemplateValues,
} from "./template.ts";
