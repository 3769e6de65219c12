// Owns the ways to authorise: pure strategies on a provider's entry. No tables; stores nothing.
export {
  type AddedHeaders,
  applyCredentials,
  isPlainCall,
  needsClientForCalls,
  readsBody,
} from "./apply-credentials.ts";
export {
  type AuthMode,
  AuthorizationFailure,
  type AuthSubject,
  type AuthTools,
  type Credentials,
  type IntegrationCredentials,
  type Minted,
  type OutgoingBody,
  RefreshFailure,
} from "./auth-mode.ts";
export { findBaseUrl } from "./find-base-url.ts";
export { findState } from "./find-state.ts";
export { getAuthMode } from "./modes/index.ts";
export { endsOtherTokens } from "./revoke-token.ts";
export { liftSecretConfig, secretConfigOf } from "./secret-config.ts";
