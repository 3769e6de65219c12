import * as z from "zod";
import { dpopAlgorithms, tokenAuthMethods, tokenRequest } from "../schema/oauth.ts";
import { shared } from "../schema/shared.ts";
import { fieldName, text } from "../schema/values.ts";
import { checkOption, type EntryRules } from "./entry-rules.ts";

export const oauth2ClientCredentials = z.strictObject({
  ...shared,
  ...tokenRequest,
  auth_mode: z.literal("OAUTH2_CC"),
  /** Comma-separated. */
  scopes: text.optional(),
  capture: z
    .strictObject({ token: z.record(fieldName, z.string().min(1)).default({}) })
    .prefault({}),
});

export const oauth2ClientCredentialsRules: EntryRules<z.output<typeof oauth2ClientCredentials>> = {
  asks: ["client_id"],
  credentials: ["client_id", "client_secret", "token"],
  check: ({ integration_config: fields, token_auth_method: method, dpop }) => [
    ...checkOption(fields, "token_auth_method", method, tokenAuthMethods),
    ...checkOption(fields, "dpop", dpop, dpopAlgorithms),
  ],
};
