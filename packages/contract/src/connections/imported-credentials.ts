import * as z from "zod";
import { credentialForms, entryField } from "../connect/credential-forms.ts";
import { timestamp } from "../fields.ts";

/** Credentials that a caller holds and imports, by type. */

const secretText = z.string().max(16_384);

export const oauthClientCredentials = z
  .strictObject({
    client_id: z.string().max(255).optional().describe("Id of the client."),
    client_secret: z.string().max(2048).optional().describe("Secret of the client."),
  })
  .meta({
    id: "OAuthClientCredentials",
    description:
      "The OAuth client that the token was issued to, where it is not the integration's.",
  });

const installation = {
  app_id: z.string().min(1).max(255).describe("Id of the provider's app."),
  installation_id: z
    .string()
    .min(1)
    .max(255)
    .describe("Id of the app's installation at the end user's account."),
};

/** Their tokens are bound to what only the connect flow knows. */
const connectOnly = z
  .looseObject({
    type: z
      .enum(["MCP_OAUTH2", "MCP_OAUTH2_GENERIC", "INSTALL_PLUGIN"])
      .describe("Credentials of these types cannot be imported: create a connect session instead."),
  })
  .refine(() => false, {
    message: "cannot be imported: make the connection through a connect session",
    path: ["type"],
  });

export const importedCredentials = z
  .discriminatedUnion("type", [
    z.strictObject({
      type: z.literal("OAUTH2").describe("The provider's `auth_mode`."),
      access_token: secretText.min(1).describe("Access token."),
      refresh_token: secretText
        .optional()
        .describe(
          "Refresh token; without one, the connection must be authorized again when the access token expires.",
        ),
      expires_at: timestamp
        .optional()
        .describe(
          "When the token expires. Default: unknown, so that it is used until the provider refuses it.",
        ),
      config_override: oauthClientCredentials
        .optional()
        .describe(
          "The OAuth client that the token was issued to, where it is not the integration's.",
        ),
    }),
    z
      .object({
        type: z.literal("OAUTH2_CC").describe("The provider's `auth_mode`."),
        client_id: z.string().min(1).max(255).describe("Id of the end user's OAuth client."),
        client_secret: z.string().min(1).max(2048).describe("Secret of that client."),
        client_certificate: z
          .string()
          .max(10_000)
          .optional()
          .describe("Certificate of the private key, in PEM."),
        client_private_key: z
          .string()
          .max(10_000)
          .optional()
          .describe("Private key with which the client signs instead of sending a secret, in PEM."),
        token: z
          .string()
          .min(1)
          .max(4096)
          .optional()
          .describe("Access token that the client has got. Absent: the server requests one."),
        expires_at: timestamp
          .optional()
          .describe(
            "When the token expires. Default: unknown, so that it is used until the provider refuses it.",
          ),
      })
      .catchall(entryField),
    z.strictObject({
      type: z.literal("OAUTH1").describe("The provider's `auth_mode`."),
      oauth_token: z.string().min(1).max(2048).describe("OAuth 1.0a token."),
      oauth_token_secret: z.string().min(1).max(2048).describe("Secret of that token."),
    }),
    z
      .object({
        type: z.literal("API_KEY").describe("The provider's `auth_mode`."),
        apiKey: z.string().min(1).max(1024).describe("The end user's API key."),
      })
      .catchall(entryField),
    z
      .object({
        type: z.literal("BASIC").describe("The provider's `auth_mode`."),
        username: z
          .string()
          .max(1024)
          .describe("User name, or what the provider takes in its place."),
        password: z
          .string()
          .max(1024)
          .describe("Password; may be empty where the provider wants the user name only."),
      })
      .catchall(entryField),
    z.strictObject({
      type: z.literal("TBA").describe("The provider's `auth_mode`."),
      token_id: z.string().min(1).max(2048).describe("Id of the access token."),
      token_secret: z.string().min(1).max(2048).describe("Secret of the access token."),
      config_override: oauthClientCredentials
        .optional()
        .describe(
          "The OAuth client that the token was issued to, where it is not the integration's.",
        ),
    }),
    z.strictObject({
      type: z.literal("APP").describe("The provider's `auth_mode`."),
      ...installation,
    }),
    z.strictObject({
      type: z.literal("CUSTOM").describe("The provider's `auth_mode`."),
      ...installation,
    }),
    credentialForms.JWT.extend({ type: z.literal("JWT").describe("The provider's `auth_mode`.") }),
    credentialForms.TWO_STEP.extend({
      type: z.literal("TWO_STEP").describe("The provider's `auth_mode`."),
    }),
    credentialForms.SIGNATURE.extend({
      type: z.literal("SIGNATURE").describe("The provider's `auth_mode`."),
    }),
    credentialForms.BILL.extend({
      type: z.literal("BILL").describe("The provider's `auth_mode`."),
    }),
    credentialForms.AWS_SIGV4.extend({
      type: z.literal("AWS_SIGV4").describe("The provider's `auth_mode`."),
    }),
    z.strictObject({ type: z.literal("NONE").describe("The provider's `auth_mode`.") }),
    connectOnly,
  ])
  .meta({
    id: "ImportedCredentials",
    description: "Credentials that you hold, by `type`: the provider's `auth_mode`.",
  });
