import type { UntypedData } from "./schemas.ts";

/** What a provider adds to its credentials next to the fields that are named for their type. */
interface Extra {
  [field: string]: UntypedData;
}

interface ClientOverride {
  client_id?: string | undefined;
  client_secret?: string | undefined;
}

export interface OAuth2Credentials extends Extra {
  type: "OAUTH2" | "MCP_OAUTH2" | "MCP_OAUTH2_GENERIC";
  access_token: string;
  /** Present only when the connection was read with `refreshToken: true`. */
  refresh_token?: string | undefined;
  expires_at?: string | undefined;
  config_override?: ClientOverride | undefined;
  /** The provider's own answer. */
  raw: Record<string, UntypedData>;
}

export interface OAuth2ClientCredentials extends Extra {
  type: "OAUTH2_CC";
  token: string;
  expires_at?: string | undefined;
  client_id: string;
  client_secret: string;
  client_certificate?: string | undefined;
  client_private_key?: string | undefined;
  raw: Record<string, UntypedData>;
}

export interface OAuth1Credentials extends Extra {
  type: "OAUTH1";
  oauth_token: string;
  oauth_token_secret: string;
  raw: Record<string, UntypedData>;
}

/** An installed plugin, too, is kept as a name and a password. */
export interface BasicCredentials extends Extra {
  type: "BASIC";
  username: string;
  password: string;
}

export interface ApiKeyCredentials extends Extra {
  type: "API_KEY";
  apiKey: string;
}

export interface AppCredentials extends Extra {
  type: "APP";
  access_token: string;
  expires_at?: string | undefined;
  jwtToken?: string | undefined;
  raw: Record<string, UntypedData>;
}

/** An app's installation together with the token of the user who installed it, where there is one. */
export interface CustomCredentials extends Extra {
  type: "CUSTOM";
  raw: Record<string, UntypedData>;
}

export interface TbaCredentials extends Extra {
  type: "TBA";
  token_id: string;
  token_secret: string;
  config_override?: ClientOverride | undefined;
}

export interface JwtCredentials extends Extra {
  type: "JWT";
  token?: string | undefined;
  expires_at?: string | undefined;
}

export interface TwoStepCredentials extends Extra {
  type: "TWO_STEP";
  token?: string | undefined;
  refresh_token?: string | undefined;
  expires_at?: string | undefined;
  raw: Record<string, UntypedData>;
}

export interface SignatureCredentials extends Extra {
  type: "SIGNATURE";
  username: string;
  password: string;
  token?: string | undefined;
  expires_at?: string | undefined;
}

export interface BillCredentials extends Extra {
  type: "BILL";
  username: string;
  password: string;
  organization_id: string;
  dev_key: string;
  session_id?: string | undefined;
  user_id?: string | undefined;
  expires_at?: string | undefined;
  raw: Record<string, UntypedData>;
}

export interface AwsSigV4Credentials extends Extra {
  type: "AWS_SIGV4";
  role_arn: string;
  region: string;
  service: string;
  access_key_id: string;
  secret_access_key: string;
  session_token: string;
  expires_at?: string | undefined;
  external_id?: string | undefined;
  raw: Record<string, UntypedData>;
}

/** Of a connection that needs none, and of one whose credentials the caller may not read. */
export interface NoCredentials extends Extra {
  type?: "NONE" | undefined;
}

/** Credentials by their `type`: `if (credentials.type === "API_KEY") credentials.apiKey`. Times are ISO 8601. */
export type ConnectionCredentials =
  | OAuth2Credentials
  | OAuth2ClientCredentials
  | OAuth1Credentials
  | BasicCredentials
  | ApiKeyCredentials
  | AppCredentials
  | CustomCredentials
  | TbaCredentials
  | JwtCredentials
  | TwoStepCredentials
  | SignatureCredentials
  | BillCredentials
  | AwsSigV4Credentials
  | NoCredentials;
