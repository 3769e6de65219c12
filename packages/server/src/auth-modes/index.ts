// Owns the ways to authorise: pure strategies on a provider's entry. No tables; stores nothing.
export {
  type AuthMode,
  AuthorizationFailure,
  type AuthSubject,
  type Credentials,
  type IntegrationCredentials,
  type Minted,
  type OutgoingRequest,
  RefreshFailure,
} from "./auth-mode.ts";
export { findBaseUrl } from "./find-base-url.ts";
export { getAuthMode } from "./modes/index.ts";
export { toTemplateValues } from "./template-values.ts";
