import * as z from "zod";
import { jsonObject, timestamp } from "../fields.ts";
import { oauthClientCredentials } from "./imported-credentials.ts";

/** Credentials of a connection as the API answers them, by type. Fields that a provider adds are among them. */

const raw = jsonObject.describe("The provider's own answer.");
const expiresAt = timestamp
  .optional()
  .describe("When the token expires; absent when the provider does not say it.");
const override = oauthClientCredentials
  .optional()
  .describe("The OAuth client that the token was issued to, where it is not the integration's.");

function typed<const Types extends readonly [string, ...string[]]>(...types: Types) {
  return z.enum(types).describe("The provider's `auth_mode`.");
}

const kinds = [
  z
    .looseObject({
      type: typed("OAUTH2", "MCP_OAUTH2", "MCP_OAUTH2_GENERIC"),
      access_token: z.string().describe("Access token, for `Authorization: Bearer`."),
      refresh_token: z
        .string()
        .optional()
        .describe("Refresh token; only with `refresh_token=true`."),
      expires_at: expiresAt,
      config_override: override,
      raw,
    })
    .meta({ id: "OAuth2Credentials", description: "An OAuth 2.0 token." }),
  z
    .looseObject({
      type: typed("OAUTH2_CC"),
      token: z.string().describe("Access token that the client has got."),
      expires_at: expiresAt,
      client_id: z.string().describe("Id of the end user's OAuth client."),
      client_secret: z.string().optional().describe("Secret of that client."),
      client_certificate: z.string().optional().describe("Certificate of the private key, in PEM."),
      client_private_key: z
        .string()
        .optional()
        .describe("Private key with which the client signs, in PEM."),
      raw,
    })
    .meta({ id: "OAuth2ClientCredentials", description: "A token of the end user's own client." }),
  z
    .looseObject({
      type: typed("OAUTH1"),
      oauth_token: z.string().describe("OAuth 1.0a token."),
      oauth_token_secret: z.string().describe("Secret of that token."),
      raw,
    })
    .meta({ id: "OAuth1Credentials", description: "An OAuth 1.0a token." }),
  z
    .looseObject({
      type: typed("BASIC"),
      username: z.string().describe("User name, or what the provider takes in its place."),
      password: z.string().describe("Password; empty where the provider wants the user name only."),
    })
    .meta({
      id: "BasicCredentials",
      description: "A user name and password; an installed plug-in is kept like this, too.",
    }),
  z
    .looseObject({
      type: typed("API_KEY"),
      apiKey: z.string().describe("The end user's API key."),
    })
    .meta({ id: "ApiKeyCredentials", description: "An API key." }),
  z
    .looseObject({
      type: typed("APP"),
      access_token: z.string().describe("Token of the app's installation."),
      expires_at: expiresAt,
      jwtToken: z.string().optional().describe("Token of the app itself, where it was asked for."),
      raw,
    })
    .meta({ id: "AppCredentials", description: "A token of an app's installation." }),
  z.looseObject({ type: typed("CUSTOM"), raw: raw.optional() }).meta({
    id: "CustomCredentials",
    description:
      "An app's installation together with the token of the user who installed it, where there is one.",
  }),
  z
    .looseObject({
      type: typed("TBA"),
      token_id: z.string().describe("Id of the access token."),
      token_secret: z.string().describe("Secret of the access token."),
      config_override: override,
    })
    .meta({ id: "TbaCredentials", description: "An access token with its secret." }),
  z
    .looseObject({
      type: typed("JWT"),
      token: z.string().optional().describe("The signed token."),
      expires_at: expiresAt,
    })
    .meta({ id: "JwtCredentials", description: "A token that is signed with the end user's key." }),
  z
    .looseObject({
      type: typed("TWO_STEP"),
      token: z.string().optional().describe("The token that the provider gave in exchange."),
      refresh_token: z
        .string()
        .optional()
        .describe("Refresh token; only with `refresh_token=true`."),
      expires_at: expiresAt,
      raw,
    })
    .meta({
      id: "TwoStepCredentials",
      description: "What was exchanged for a token, and the token.",
    }),
  z
    .looseObject({
      type: typed("SIGNATURE"),
      username: z.string().describe("User name at the provider."),
      password: z.string().describe("Password, from which the signature is made."),
      token: z.string().optional().describe("The signed token."),
      expires_at: expiresAt,
    })
    .meta({
      id: "SignatureCredentials",
      description: "A user name and password that sign a token.",
    }),
  z
    .looseObject({
      type: typed("BILL"),
      username: z.string().describe("User name at the provider."),
      password: z.string().describe("Password of that user."),
      organization_id: z.string().describe("Id of the organization at the provider."),
      dev_key: z.string().describe("Developer key at the provider."),
      session_id: z.string().optional().describe("Id of the session that was opened."),
      user_id: z.string().optional().describe("Id of the user at the provider."),
      expires_at: expiresAt,
      raw,
    })
    .meta({ id: "BillCredentials", description: "A login with an organization, and its session." }),
  z
    .looseObject({
      type: typed("AWS_SIGV4"),
      role_arn: z.string().describe("ARN of the role."),
      region: z.string().describe("Region of the services to call."),
      service: z.string().describe("Name of the service in signatures."),
      access_key_id: z.string().describe("Access key of the role's session."),
      secret_access_key: z.string().describe("Secret of that access key."),
      session_token: z.string().describe("Token of the role's session."),
      expires_at: expiresAt,
      external_id: z.string().optional().describe("External id that the role requires."),
      raw,
    })
    .meta({ id: "AwsSigV4Credentials", description: "Access keys of an AWS role." }),
  z
    .looseObject({ type: typed("NONE").optional() })
    .meta({ id: "NoCredentials", description: "Of a connection that needs none." }),
] as const;

export const connectionCredentials = z.union(kinds).meta({
  id: "ConnectionCredentials",
  description: "Credentials of a connection, by `type`.",
});
