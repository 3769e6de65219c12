import * as z from "zod";

/** Credentials of an integration itself, by type. */

const scopeList = /^([0-9a-zA-Z:/_.*-]+([, ]+[0-9a-zA-Z:/_.*-]+)*)?$/;

/** A list, or a text with commas or spaces between; kept with commas. */
const scopes = z
  .union([
    z.string().regex(scopeList, "must be a list with commas or spaces between"),
    z.array(z.string().regex(/^[0-9a-zA-Z:/_.*-]+$/, "must be a scope")).max(500),
  ])
  .transform((given) => (typeof given === "string" ? given.split(/[, ]+/) : given).join(","))
  .optional();

const client = {
  client_id: z.string().min(1).max(255),
  client_secret: z.string().min(1).max(2048),
  scopes,
  webhook_secret: z.string().max(255).optional(),
};

const privateKey = z
  .string()
  .max(16_384)
  .regex(
    /^\s*-----BEGIN (RSA )?PRIVATE KEY-----[\s\S]+-----END (RSA )?PRIVATE KEY-----\s*$/,
    "must be an unencrypted private key in PEM, from its BEGIN line to its END line",
  );

const app = {
  app_id: z.string().min(1).max(255),
  app_link: z.url({ protocol: /^https?$/ }).max(2048),
  private_key: privateKey,
};

export const integrationCredentials = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("OAUTH2"),
    ...client,
    /** For private_key_jwt and client certificates. */
    client_private_key: z.string().max(16_384).optional(),
    client_certificate: z.string().max(16_384).optional(),
  }),
  z.strictObject({ type: z.literal("OAUTH1"), ...client }),
  z.strictObject({ type: z.literal("TBA"), ...client }),
  z.strictObject({ type: z.literal("APP"), ...app }),
  z.strictObject({
    type: z.literal("CUSTOM"),
    client_id: client.client_id,
    client_secret: client.client_secret,
    ...app,
  }),
  z.strictObject({
    type: z.literal("MCP_OAUTH2"),
    client_id: client.client_id,
    client_secret: client.client_secret.optional(),
    scopes,
  }),
]);
