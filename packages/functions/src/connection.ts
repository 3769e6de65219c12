import type { ConnectionCredentials } from "./credentials.ts";
import type { UntypedData } from "./schemas.ts";

/** A connection with its credentials, as the API gives it. */
export interface Connection {
  id: number;
  connection_id: string;
  provider_config_key: string;
  provider: string;
  metadata: Record<string, UntypedData> | null;
  connection_config: Record<string, UntypedData>;
  credentials: ConnectionCredentials;
  tags: Record<string, string>;
  created_at: string;
  updated_at: string;
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
