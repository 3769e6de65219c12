// Owns the ways to authorize: pure strategies on a provider's entry. No tables; stores nothing.

export { withoutDiscovered } from "./after-connect.ts";
export {
  type AddedHeaders,
  type AppliedCredentials,
  applyCredentials,
  applyProven,
  type CallDraft,
  isPlainCall,
  needsClientForCalls,
  readsBody,
} from "./apply/apply-credentials.ts";
export { findBaseUrl, findOtherBaseUrl, listBaseUrls } from "./apply/find-base-url.ts";
export { findMcpUrl } from "./apply/find-mcp-url.ts";
export { listIssuerHosts } from "./apply/issuer-hosts.ts";
export type {
  AskedFields,
  AuthMode,
  AuthSubject,
  AuthTools,
  Credentials,
  IntegrationCredentials,
  Minted,
  OutgoingBody,
} from "./auth-mode.ts";
export { findState } from "./find-state.ts";
export { getAuthMode } from "./modes/index.ts";
export { hideCallSecrets, hideTexts } from "./observe/hide-secrets.ts";
export {
  type FailureKind,
  ProviderFailure,
  providerErrorOf,
  type StageFacts,
  stageFactsOf,
} from "./observe/provider-failure.ts";
export { endsOtherTokens } from "./obtain/revoke-token.ts";
export { readPath } from "./obtain/token-answer.ts";
export { isBound, usesProof } from "./proof/dpop.ts";
export { type SignedCall, sendSigned } from "./proof/send-signed.ts";
export { signSigV4 } from "./proof/sign-sigv4.ts";
export type { SignedAnswer, SigningFacts } from "./proof/signing-facts.ts";
export { type ProviderAccount, readAccount } from "./read-account.ts";
export {
  isSecretConfig,
  liftSecretConfig,
  secretConfigOf,
  splitSecretConfig,
} from "./secret-config.ts";
export { needsTestCall, verifyCredentials } from "./verify-credentials.ts";
