/** What the provider has seen since it started. */
export interface ProviderJournal {
  /** Authorization codes exchanged for tokens. */
  codeGrants: number;
  /** Refresh tokens exchanged for tokens. */
  refreshGrants: number;
  clientCredentialsGrants: number;
  /** Token requests answered with an error, re-use of a refresh token included. */
  failedGrants: number;
  /** Spent refresh tokens or codes that were presented again; each revoked its whole grant. */
  reusedTokens: number;
  /** Revocation requests that were answered with 200 (RFC 7009). */
  revocations: number;
  /** Calls to `/api`, refused ones included. */
  apiCalls: number;
  /** Calls to `/api` without a valid token or key. */
  apiRefusals: number;
  webhooksSent: number;
}

/** Makes a journal with every count at zero. */
export function newJournal(): ProviderJournal {
  return {
    codeGrants: 0,
    refreshGrants: 0,
    clientCredentialsGrants: 0,
    failedGrants: 0,
    reusedTokens: 0,
    revocations: 0,
    apiCalls: 0,
    apiRefusals: 0,
    webhooksSent: 0,
  };
}
