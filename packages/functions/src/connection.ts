import type { Connection as AnyConnection, ConnectionCredentials } from "./api-types.ts";

/** A connection as functions read it: always with its credentials. */
export interface Connection extends AnyConnection {
  credentials: ConnectionCredentials;
}

export interface GetConnectionOptions {
  /** Refresh the token even when it is still valid. */
  forceRefresh?: boolean | undefined;
  /** Keep the refresh token in the answer. */
  refreshToken?: boolean | undefined;
  /** Make the token of a GitHub App's own afresh; every refresh here does. */
  refreshGithubAppJwtToken?: boolean | undefined;
}

export interface OAuth1Token {
  oAuthToken: string;
  oAuthTokenSecret: string;
}

export interface EnvironmentVariable {
  name: string;
  value: string;
}

/** What setMetadata and updateMetadata resolve to; `data.metadata` is what was sent. */
export interface MetadataResponse {
  readonly status: 200 | 201;
  readonly statusText: string;
  readonly data: {
    readonly connection_id: string;
    readonly provider_config_key: string;
    readonly metadata: Record<string, unknown>;
  };
}
