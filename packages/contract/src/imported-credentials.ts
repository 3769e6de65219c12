import * as z from "zod";
import { credentialForms, entryField } from "./authorization.ts";
import { timestamp } from "./fields.ts";

/** Credentials that a caller holds and imports, by type. */

const secretText = z.string().max(16_384);

/** The OAuth client that they were issued to, where it is not the integration's. */
const configOverride = z
  .strictObject({
    client_id: z.string().max(255).optional(),
    client_secret: z.string().max(2048).optional(),
  })
  .optional();

const installation = {
  app_id: z.string().min(1).max(255),
  installation_id: z.string().min(1).max(255),
};

/** Their tokens are bound to what only the connect flow knows. */
const connectOnly = z
  .looseObject({ type: z.enum(["MCP_OAUTH2", "MCP_OAUTH2_GENERIC", "INSTALL_PLUGIN"]) })
  .refine(() => false, {
    message: "cannot be imported: make the connection through a connect session",
    path: ["type"],
  });

export const importedCredentials = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("OAUTH2"),
    access_token: secretText.min(1),
    refresh_token: secretText.optional(),
    expires_at: timestamp.optional(),
    config_override: configOverride,
  }),
  z
    .object({
      type: z.literal("OAUTH2_CC"),
      client_id: z.string().min(1).max(255),
      client_secret: z.string().min(1).max(2048),
      client_certificate: z.string().max(10_000).optional(),
      client_private_key: z.string().max(10_000).optional(),
      token: z.string().min(1).max(4096),
      expires_at: timestamp.optional(),
    })
    .catchall(entryField),
  z.strictObject({
    type: z.literal("OAUTH1"),
    oauth_token: z.string().min(1).max(2048),
    oauth_token_secret: z.string().min(1).max(2048),
  }),
  z
    .object({ type: z.literal("API_KEY"), apiKey: z.string().min(1).max(1024) })
    .catchall(entryField),
  z
    .object({
      type: z.literal("BASIC"),
      username: z.string().max(1024),
      password: z.string().max(1024),
    })
    .catchall(entryField),
  z.strictObject({
    type: z.literal("TBA"),
    token_id: z.string().min(1).max(2048),
    token_secret: z.string().min(1).max(2048),
    config_override: configOverride,
  }),
  z.strictObject({ type: z.literal("APP"), ...installation }),
  z.strictObject({ type: z.literal("CUSTOM"), ...installation }),
  credentialForms.JWT.extend({ type: z.literal("JWT") }),
  credentialForms.TWO_STEP.extend({ type: z.literal("TWO_STEP") }),
  credentialForms.SIGNATURE.extend({ type: z.literal("SIGNATURE") }),
  credentialForms.BILL.extend({ type: z.literal("BILL") }),
  credentialForms.AWS_SIGV4.extend({ type: z.literal("AWS_SIGV4") }),
  z.strictObject({ type: z.literal("NONE") }),
  connectOnly,
]);
