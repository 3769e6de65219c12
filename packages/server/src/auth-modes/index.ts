// Owns the ways to authorise: pure strategies on a provider's entry. No tables; stores nothing.

export { withoutDiscovered } from "./after-connect.ts";
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
export { findBaseUrl, findOtherBaseUrl } from "./find-base-url.ts";
export { findState } from "./find-state.ts";
export { type StageFacts, stageFactsOf } from "./in-stage.ts";
export { getAuthMode } from "./modes/index.ts";
export { isBound, usesProof } from "./proof/dpop.ts";
export { findSigningFacts, learnFromRefusal, type SigningFacts } from "./proof/signing-facts.ts";
export { endsOtherTokens } from "./revoke-token.ts";
export {
  isSecretConfig,
  liftSecretConfig,
  secretConfigOf,
  splitSecretConfig,
} from "./secret-config.ts";
export { readPath } from "./token-answer.ts";
export { needsTestCall, verifyCredentials } from "./verify-credentials.ts";
