// Owns providers as checked data: entries, their schema, and the templates in them.
export {
  getCatalogueHash,
  getProvider,
  isBuiltIn,
  listCallbackStateNames,
  listProviderIds,
  listProviders,
  setAddedProviders,
} from "./built-in/built-in.ts";
export { findHeaderFault, isOwnHeader } from "./checks/check-headers.ts";
export { findLogo } from "./logos/find-logo.ts";
export { makeMonogram } from "./logos/monogram.ts";
export type { InstallationRules } from "./modes/app.ts";
export { isReservedAuthorizationParam } from "./modes/oauth2.ts";
export {
  findOverrideFaults,
  overrideProvider,
  type ProviderOverrides,
} from "./override-provider.ts";
export { fitsPattern } from "./patterns/pattern.ts";
export { findSizeFault } from "./reading/entry-limits.ts";
export { readProvider } from "./reading/read-provider.ts";
export { type ProviderFile, readProviderFile } from "./reading/read-provider-file.ts";
export type {
  AfterConnect,
  Identity,
  Revocation,
  Saved,
  TokenErrors,
  TokenResponse,
  TokenStep,
} from "./schema/calls.ts";
export type { AuthorizationCodeRules, SignedToken } from "./schema/oauth.ts";
export type { RequestEffects, RetryHints } from "./schema/shared.ts";
export type { Alias, Field, JsonTemplate } from "./schema/values.ts";
export type { HmacRouting } from "./schema/webhooks.ts";
export type { AuthModeId, Provider, ProviderOf } from "./schema.ts";
export type { TemplateScope } from "./templates/expression.ts";
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
} from "./templates/template.ts";
export { toPem } from "./templates/to-pem.ts";
export { webhookEventIds } from "./webhook-event-ids.ts";
export { webhookRouters } from "./webhook-routers.ts";
