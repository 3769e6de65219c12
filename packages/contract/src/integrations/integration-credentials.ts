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
  .optional()
  .meta({
    description: "OAuth scopes to request: a list, or a text with commas or spaces between them.",
    examples: ["repo,read:user"],
  });

const client = {
  client_id: z
    .string()
    .min(1)
    .max(255)
    .describe("Id of the OAuth client, from the provider's developer console."),
  client_secret: z
    .string()
    .min(1)
    .max(2048)
    .describe("Secret of the OAuth client; stored encrypted."),
  scopes,
  // Some vendors publish a public key instead, such as one of RSA with 4,096 bits in PEM.
  webhook_secret: z
    .string()
    .max(2048)
    .optional()
    .describe(
      "Secret with which the provider signs its webhooks; webhooks without that signature are refused.",
    ),
};

const privateKey = z
  .string()
  .max(16_384)
  .regex(
    /^\s*-----BEGIN (RSA )?PRIVATE KEY-----[\s\S]+-----END (RSA )?PRIVATE KEY-----\s*$/,
    "must be an unencrypted private key in PEM, from its BEGIN line to its END line",
  );

const app = {
  app_id: z.string().min(1).max(255).describe("Id of the app at the provider."),
  app_link: z
    .url({ protocol: /^https?$/ })
    .max(2048)
    .describe("Public address of the app, where end users install it."),
  private_key: privateKey.describe("Private key of the app in PEM, unencrypted."),
};

export const integrationCredentials = z
  .discriminatedUnion("type", [
    z.strictObject({
      type: z.literal("OAUTH2").describe("The provider's `auth_mode`."),
      ...client,
      client_private_key: z
        .string()
        .max(16_384)
        .optional()
        .describe(
          "Private key in PEM, for clients that sign with `private_key_jwt` or use a certificate.",
        ),
      client_certificate: z
        .string()
        .max(16_384)
        .optional()
        .describe("Certificate of the private key, in PEM."),
    }),
    z.strictObject({
      type: z.literal("OAUTH1").describe("The provider's `auth_mode`."),
      ...client,
    }),
    z.strictObject({ type: z.literal("TBA").describe("The provider's `auth_mode`."), ...client }),
    z.strictObject({ type: z.literal("APP").describe("The provider's `auth_mode`."), ...app }),
    z.strictObject({
      type: z.literal("CUSTOM").describe("The provider's `auth_mode`."),
      client_id: client.client_id,
      client_secret: client.client_secret,
      ...app,
    }),
    z.strictObject({
      type: z.literal("MCP_OAUTH2").describe("The provider's `auth_mode`."),
      client_id: client.client_id,
      client_secret: client.client_secret
        .optional()
        .describe("Secret of the OAuth client; absent for a public client; stored encrypted."),
      scopes,
    }),
  ])
  .meta({
    id: "IntegrationCredentials",
    description: "Credentials of an integration itself, by `type`: the provider's `auth_mode`.",
  });
