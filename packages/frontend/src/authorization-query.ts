import type { AuthOptions } from "./auth-options.ts";
import type { OAuthClientOverride } from "./credentials.ts";

interface QueryExtras {
  readonly override?: OAuthClientOverride;
  /** Of a caller that names one: the server says that the session does. */
  readonly connectionId?: string | undefined;
}

/** The query that all authorization routes take. */
export function toAuthorizationQuery(
  sessionToken: string,
  options: AuthOptions,
  { override = {}, connectionId }: QueryExtras = {},
): URLSearchParams {
  const query = new URLSearchParams({ connect_session_token: sessionToken });
  if (connectionId !== undefined) query.set("connection_id", connectionId);
  const { params = {}, authorization_params: extra = {}, user_scope: scopes = [] } = options;
  for (const [name, value] of Object.entries(params)) query.set(`params[${name}]`, value);
  for (const [name, value] of Object.entries(extra)) {
    // The word itself takes a parameter of the provider's definition away.
    query.set(`authorization_params[${name}]`, value ?? "undefined");
  }
  for (const [name, value] of Object.entries(override)) query.set(`credentials[${name}]`, value);
  if (scopes.length > 0) query.set("user_scope", scopes.join(","));
  return query;
}
