import * as z from "zod";
import { connectionId, integrationKey, jsonObject, namedTexts, webhookUrl } from "../fields.ts";

/** The body of the deprecated `POST /connection`. */

const text = z.string().max(16_384).optional();

export const flatImport = z.strictObject({
  provider_config_key: integrationKey.optional().describe("Integration to connect to; required."),
  connection_id: connectionId.optional().describe("Id for the connection. Default: a random UUID."),
  metadata: jsonObject
    .optional()
    .meta({ description: "Your own data about the connection.", examples: [{ plan: "free" }] }),
  connection_config: namedTexts
    .optional()
    .describe("Values that the provider needs for this connection, such as a subdomain."),
  webhook_url_override: webhookUrl
    .optional()
    .describe("Where webhooks about this connection go instead of the environment's addresses."),
  raw: jsonObject.optional().describe("Accepted, and not stored."),

  access_token: text.describe("Access token, for `OAUTH2`; token, for `OAUTH2_CC`."),
  refresh_token: text.describe("Refresh token, for `OAUTH2`."),
  expires_at: z
    .string()
    .max(64)
    .optional()
    .describe(
      "When the token expires, in ISO 8601. For `OAUTH2` one of `expires_at`, `expires_in` and `no_expiration` is required.",
    ),
  expires_in: z
    .number()
    .positive()
    .max(1e10)
    .optional()
    .describe("Seconds until the token expires, from now."),
  no_expiration: z.literal(true).optional().describe("`true` for a token that does not expire."),
  oauth_client_id_override: text.describe(
    "Id of the OAuth client that the token was issued to, where it is not the integration's.",
  ),
  oauth_client_secret_override: text.describe("Secret of that client; stored encrypted."),

  oauth_token: text.describe("Token, for `OAUTH1`."),
  oauth_token_secret: text.describe("Secret of the token, for `OAUTH1`."),
  username: text.describe("User name, for `BASIC`."),
  password: text.describe("Password, for `BASIC`."),
  api_key: text.describe("API key, for `API_KEY`."),
  app_id: text.describe("Id of the provider's app, for `APP` and `CUSTOM`."),
  installation_id: text.describe(
    "Id of the app's installation at the end user's account, for `APP` and `CUSTOM`.",
  ),
  token_id: text.describe("Id of the token, for `TBA`."),
  token_secret: text.describe("Secret of the token, for `TBA`."),
});

export type FlatImport = z.output<typeof flatImport>;

/** What may be missing, each with a code of its own. */
export const flatImportErrors = [
  "missing_access_token",
  "missing_expires_at",
  "invalid_expires_at",
  "missing_oauth_token",
  "missing_oauth_token_secret",
  "missing_basic_username",
  "missing_api_key",
  "missing_app_id",
  "missing_installation_id",
  "missing_account_id",
] as const;
