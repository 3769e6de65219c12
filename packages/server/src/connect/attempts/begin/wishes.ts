import { isReservedAuthorizationParam, type Provider } from "@jackfield/catalogue";
import type { IntegrationDefaults } from "../../session.ts";
import { type ConnectQuery, invalidQuery } from "./parse-connect-query.ts";
import { resolveConnectionConfig } from "./resolve-connection-config.ts";

/** What an attempt asks for: the end user's values under those that the customer fixed. */
export interface Wishes {
  readonly connectionConfig: Readonly<Record<string, string>>;
  /** Instead of the integration's scopes; comma-separated. */
  readonly scopes: string | undefined;
  /** Comma-separated. */
  readonly userScopes: string | undefined;
  /** Those that the browser asks for by itself, by the parameter that has them: never more than the integration's. */
  readonly browserScopes: Readonly<Record<string, string>>;
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

/** Name in connection_config of scopes that replace the integration's. */
export const SCOPES_OVERRIDE = "oauth_scopes_override";

/** Names in connection_config that are not the provider's but ours. */
const platformNames = new Set([
  "webhook_url",
  SCOPES_OVERRIDE,
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
    throw invalidQuery(["authorization_params", reserved], "is set by Jackfield");
  }
  const userScopes = defaults.user_scopes || query.user_scope || undefined;
  const browserScopes = findBrowserScopes(provider, query, defaults);
  const hasUserScopes = "user_scope_parameter" in provider && provider.user_scope_parameter;
  return {
    connectionConfig: resolveConnectionConfig(provider, {
      fixed: withoutPlatformNames(fixed),
      given: withoutPlatformNames(query.params ?? {}),
    }),
    // A provider that does not tell the user's scopes from the app's has only the one kind.
    scopes: given[SCOPES_OVERRIDE] || (hasUserScopes ? undefined : userScopes),
    userScopes,
    browserScopes,
    authorizationParams,
    ownClient: toOwnClient(query, fixed),
  };
}

/** Parameters of authorization requests that carry scopes, next to the one that the entry names. */
const scopeParams = ["scope", "optional_scope", "user_scope"];

function findBrowserScopes(
  provider: Provider,
  query: ConnectQuery,
  { user_scopes, authorization_params = {}, connection_config: fixed = {} }: IntegrationDefaults,
): Record<string, string> {
  const own = "user_scope_parameter" in provider ? provider.user_scope_parameter : undefined;
  const names = new Set([...scopeParams, ...(own === undefined ? [] : [own])]);
  const added = Object.entries(query.authorization_params ?? {}).filter(
    ([name, value]) =>
      // What takes a parameter out adds no scope.
      names.has(plainName(name)) && value !== "undefined" && authorization_params[name] !== value,
  );
  const overriding = fixed[SCOPES_OVERRIDE] ? undefined : query.params?.[SCOPES_OVERRIDE];
  return {
    ...(!user_scopes && query.user_scope ? { user_scope: query.user_scope } : {}),
    ...(overriding ? { [`params.${SCOPES_OVERRIDE}`]: overriding } : {}),
    ...Object.fromEntries(added.map(([name, value]) => [`authorization_params.${name}`, value])),
  };
}

/** As lenient servers read it. */
function plainName(name: string): string {
  const [plain = ""] = name.trim().toLowerCase().split(/[[\0]/, 1);
  return plain.replaceAll(/[ .]/g, "_");
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

/**
 * Refuses scopes of the browser's that the integration does not request: a session may allow them, with `user_scopes`
 * or `oauth_scopes_override` of its defaults. Throws invalid_query_params.
 */
export function requireOwnScopes(
  { browserScopes }: Pick<Wishes, "browserScopes">,
  requested: readonly string[],
): void {
  const known = new Set(requested.map((scope) => scope.trim()));
  for (const [name, text] of Object.entries(browserScopes)) {
    const foreign = text.split(/[\s,]+/).find((scope) => scope !== "" && !known.has(scope));
    if (foreign === undefined) continue;
    throw invalidQuery(
      name.split("."),
      `has \`${foreign.slice(0, 200)}\`, which the integration does not request: add it to the integration's scopes, or to \`user_scopes\` of the session`,
    );
  }
}
