import type { NangoConnection, NangoIntegration } from "./nango-shapes.ts";

type Values = Readonly<Record<string, unknown>>;

/** What the server holds for a connection of each type; everything else is made again from it. */
const credentialFields: Readonly<Record<string, readonly string[]>> = {
  OAUTH2: ["access_token", "refresh_token", "expires_at", "config_override"],
  OAUTH2_CC: [
    ...["token", "expires_at", "client_id", "client_secret"],
    ...["client_certificate", "client_private_key"],
  ],
  OAUTH1: ["oauth_token", "oauth_token_secret"],
  TBA: ["token_id", "token_secret", "config_override"],
  APP: [],
  CUSTOM: [],
  NONE: [],
};

/** Made by the server from what the end user gave. */
const made = ["raw", "type", "token", "expires_at", "jwtToken", "session_id", "user_id"];

/** Why connections of a type cannot be moved: their tokens are bound to the client that the other side registered. */
const unmovable = new Set(["MCP_OAUTH2", "MCP_OAUTH2_GENERIC", "INSTALL_PLUGIN"]);

export function isMovable(authMode: string): boolean {
  return !unmovable.has(authMode);
}

/** The body of `POST /integrations`. */
export function toNewIntegration(integration: NangoIntegration): Values {
  const { unique_key, provider, display_name, credentials, integration_config } = integration;
  const given = credentials == null ? {} : { credentials: withoutEmpty(credentials) };
  const config = withoutEmpty(integration_config ?? {});
  return {
    unique_key,
    provider,
    ...(display_name ? { display_name } : {}),
    ...given,
    ...(Object.keys(config).length === 0 ? {} : { integration_config: config }),
  };
}

/** The body of `POST /connections`. */
export function toNewConnection(connection: NangoConnection): Values {
  const { connection_id, provider_config_key, connection_config, metadata } = connection;
  const config = connection_config ?? {};
  const tags = { ...connection.tags, ...toTags(connection.end_user) };
  return {
    connection_id,
    provider_config_key,
    credentials: toCredentials(connection.credentials, config),
    ...(Object.keys(config).length === 0 ? {} : { connection_config: config }),
    ...(metadata == null ? {} : { metadata }),
    ...(Object.keys(tags).length === 0 ? {} : { tags }),
  };
}

function toCredentials(
  given: Values & { readonly type?: string | undefined },
  config: Values,
): Values {
  const { type } = given;
  if (type === "APP" || type === "CUSTOM") {
    const { app_id, installation_id } = config;
    return withoutEmpty({ type, app_id, installation_id });
  }
  const fields = type === undefined ? undefined : credentialFields[type];
  const kept = Object.entries(given).filter(([name]) =>
    fields === undefined ? !made.includes(name) : fields.includes(name),
  );
  return withoutEmpty({ ...(type === undefined ? {} : { type }), ...Object.fromEntries(kept) });
}

function toTags(endUser: NangoConnection["end_user"]): Record<string, string> {
  if (endUser == null) return {};
  const { id, email, display_name: name } = endUser;
  return {
    end_user_id: id,
    ...(email ? { end_user_email: email } : {}),
    ...(name ? { end_user_display_name: name } : {}),
  };
}

function withoutEmpty(values: Values): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).filter(
      ([, value]) => value !== null && value !== undefined && value !== "",
    ),
  );
}
