import * as z from "zod";
import { connectionId, integrationKey, jsonObject, namedTexts, webhookUrl } from "./fields.ts";

/** The body of the deprecated `POST /connection`. */

const text = z.string().max(16_384).optional();

export const flatImport = z.strictObject({
  /** Required; the answer for a missing one is a code of its own. */
  provider_config_key: integrationKey.optional(),
  connection_id: connectionId.optional(),
  metadata: jsonObject.optional(),
  connection_config: namedTexts.optional(),
  webhook_url_override: webhookUrl.optional(),
  raw: jsonObject.optional(),

  access_token: text,
  refresh_token: text,
  expires_at: z.string().max(64).optional(),
  /** Seconds. */
  expires_in: z.number().positive().max(1e10).optional(),
  no_expiration: z.literal(true).optional(),
  oauth_client_id_override: text,
  oauth_client_secret_override: text,

  oauth_token: text,
  oauth_token_secret: text,
  username: text,
  password: text,
  api_key: text,
  app_id: text,
  installation_id: text,
  token_id: text,
  token_secret: text,
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
