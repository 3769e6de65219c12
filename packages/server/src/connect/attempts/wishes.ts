import { isReservedAuthorizationParam, type Provider } from "@jackfield/catalogue";
import type { IntegrationDefaults } from "../session.ts";
import { type ConnectQuery, invalidQuery } from "./parse-connect-query.ts";
import { resolveConnectionConfig } from "./resolve-connection-config.ts";

/** What an attempt asks for: the end user's values under those that the customer fixed. */
export interface Wishes {
  readonly connectionConfig: Readonly<Record<string, string>>;
  /** Instead of the integration's scopes; comma-separated. */
  readonly scopes: string | undefined;
  /** Comma-separated. */
  readonly userScopes: string | undefined;
  readonly authorizationParams: Readonly<Record<string, string>>;
  readonly ownClient: OwnClient | undefined;
}

/** An OAuth client that takes the integration's place for this connection. */
export interface OwnClient {
  readonly clientId: string;
  readonly clientSecret: string;
  /** A refresh token that the end user already holds. */
  readonly refreshToken: string | undefined;
}

/** Names in connection_config that are not the provider's but ours. */
const platformNames = new Set([
  "webhook_url",
  "oauth_scopes_override",
  "oauth_client_id_override",
  "oauth_client_secret_override",
  "oauth_refresh_token_override",
]);

export function toWishes(
  provider: Provider,
  query: ConnectQuery,
  defaults: IntegrationDefaults,
): Wishes {
  const fixed = defaults.connection_config ?? {};
  const given = { ...query.params, ...fixed };
  const authorizationParams = { ...query.authorization_params, ...defaults.authorization_params };
  const reserved = Object.keys(authorizationParams).find(isReservedAuthorizationParam);
  if (reserved !== undefined) {
    throw invalidQuery(["authorization_params", reserved], "is set by the platform");
  }
  const userScopes = defaults.user_scopes || query.user_scope || undefined;
  const hasUserScopes = "user_scope_parameter" in provider && provider.user_scope_parameter;
  return {
    connectionConfig: resolveConnectionConfig(provider, {
      fixed: withoutPlatformNames(fixed),
      given: withoutPlatformNames(query.params ?? {}),
    }),
    // A provider that does not tell the user's scopes from the app's has only the one kind.
    scopes: given["oauth_scopes_override"] || (hasUserScopes ? undefined : userScopes),
    userScopes,
    authorizationParams,
    ownClient: toOwnClient(query, fixed),
  };
}

function withoutPlatformNames(values: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).filter(([name]) => !platformNames.has(name)));
}

function toOwnClient(
  { credentials = {}, params = {} }: ConnectQuery,
  fixed: Readonly<Record<string, string>>,
): OwnClient | undefined {
  // Empty defaults only ask the page to show the fields; they fix nothing.
  const read = (name: keyof typeof credentials): string =>
    fixed[name] || credentials[name] || params[name] || "";
  const clientId = read("oauth_client_id_override");
  const clientSecret = read("oauth_client_secret_override");
  if (clientId === "" && clientSecret === "") return undefined;
  if (clientId === "") throw missing("oauth_client_id_override");
  if (clientSecret === "") throw missing("oauth_client_secret_override");
  return {
    clientId,
    clientSecret,
    refreshToken: read("oauth_refresh_token_override") || undefined,
  };
}

function missing(name: string) {
  return invalidQuery(["credentials", name], "is missing: an OAuth client has an id and a secret");
}
