import type { Credentials } from "#auth-modes";

type Values = Readonly<Record<string, string>>;

/**
 * Moves an end user's own OAuth client from `connection_config`, where callers send it, to the sealed
 * credentials; its id stays visible.
 */
export function liftClientOverride(
  credentials: Credentials,
  config: Values | undefined,
): { credentials: Credentials; connectionConfig: Values | undefined } {
  if (config === undefined) return { credentials, connectionConfig: undefined };
  const { oauth_client_secret_override: secret, ...rest } = config;
  const id = rest["oauth_client_id_override"];
  const override = { ...(id && { client_id: id }), ...(secret && { client_secret: secret }) };
  if (Object.keys(override).length === 0) return { credentials, connectionConfig: rest };
  const given = credentials["config_override"];
  const known = typeof given === "object" && given !== null ? given : {};
  return {
    credentials: { ...credentials, config_override: { ...override, ...known } },
    connectionConfig: rest,
  };
}
