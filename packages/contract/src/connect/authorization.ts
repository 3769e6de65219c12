import * as z from "zod";
import { integrationKey, namedTexts, uuid } from "../fields.ts";
import { defineRoute } from "../route.ts";
import { credentialForms } from "./credential-forms.ts";

/** The end user's ways to authorize: forms, and the browser's way to a provider and back. */

const keyParams = z.strictObject({
  providerConfigKey: integrationKey.describe("Integration to connect to."),
});

const texts = namedTexts.optional();

/** What a client calls an attempt of its session. */
export const attemptId = z
  .string()
  .regex(/^[a-zA-Z0-9_-]{1,64}$/, "may hold up to 64 letters, digits, _ and -")
  .meta({
    id: "AttemptId",
    description:
      "Id of an attempt in its session, chosen by the client: up to 64 letters, digits, `_` and `-`.",
  });

/** What every way to authorize takes in its query; the session's values come before these. */
export const connectQuery = z.strictObject({
  connect_session_token: z
    .string()
    .max(255)
    .optional()
    .describe("Token of the session that the end user connects in; required."),
  public_key: z
    .string()
    .max(255)
    .optional()
    .describe(
      "No longer supported: answered with `deprecated_authentication`; create a connect session.",
    ),
  hmac: z.string().max(255).optional().describe("No longer supported: create a connect session."),
  connection_id: z
    .string()
    .max(255)
    .optional()
    .describe("Not accepted: the session chooses the connection's id."),
  params: texts.describe(
    "Values of the connection's configuration, such as `params[subdomain]=acme`. Those that the session fixes win.",
  ),
  user_scope: z
    .string()
    .max(2048)
    .optional()
    .describe(
      "Scopes of the user to request, separated by commas, where the provider distinguishes these from the app's own. Those that the session fixes win.",
    ),
  authorization_params: texts.describe(
    "Further parameters for the provider's authorization page, by name. Those that the session fixes win.",
  ),
  credentials: z
    .strictObject({
      oauth_client_id_override: z.string().max(255).optional().describe("Id of the client."),
      oauth_client_secret_override: z
        .string()
        .max(2048)
        .optional()
        .describe("Secret of the client; stored encrypted."),
      oauth_refresh_token_override: z
        .string()
        .max(16_384)
        .optional()
        .describe("A refresh token of that client; stored encrypted."),
    })
    .optional()
    .meta({
      id: "OAuthClientOverride",
      description: "OAuth client of the end user's own, used instead of the integration's.",
    }),
  ws_client_id: z
    .string()
    .max(255)
    .optional()
    .describe(
      "Id of a WebSocket that receives the result; present only where the operator has set `SVC_COMPAT_PREFIX`. Other clients read `GET /connect/session/events`.",
    ),
  attempt_id: attemptId
    .optional()
    .describe("Id that you choose for this attempt; the session's result carries it."),
  opener_origin: z
    .string()
    .max(255)
    .optional()
    .meta({
      description:
        "Origin of the page that opened the window; it receives the result by `postMessage` if the session allows it.",
      examples: ["https://app.example.com"],
    }),
});

const madeConnection = z
  .strictObject({
    connectionId: z.string().meta({ description: "Id of the connection.", examples: ["user-42"] }),
    providerConfigKey: z
      .string()
      .meta({ description: "Key of its integration.", examples: ["github"] }),
    isPending: z
      .boolean()
      .optional()
      .describe(
        "`true` when the provider completes the connection later, by a webhook; otherwise `false` or left out.",
      ),
  })
  .meta({ id: "ConnectResult", description: "The connection that was made." });

/** A route that takes credentials typed by the end user. */
function defineForm<const Path extends `/${string}`, Body extends z.ZodType>(
  path: Path,
  { what, body }: { what: string; body: Body },
) {
  return defineRoute({
    method: "POST",
    path,
    summary: `Make the session's connection from ${what}`,
    principals: ["public"],
    scope: "public",
    params: keyParams,
    query: connectQuery,
    sessionInQuery: true,
    body,
    bodyLimit: "connectForm",
    success: { status: 200, schema: madeConnection },
    errors: [
      "invalid_connect_session_token_format",
      "unknown_connect_session_token",
      "deprecated_authentication",
      "unknown_provider_config",
      "invalid_auth_mode",
      "integration_not_allowed",
      "invalid_connection",
      "session_used",
      "connection_test_failed",
      "upstream_unreachable",
      "upstream_dns_error",
      "upstream_tls_error",
      "upstream_timeout",
      "upstream_unavailable",
      "connection_validation_failed",
      "account_changed",
      "integration_misconfigured",
    ],
    idempotent: false,
  });
}

const formRoutes = {
  connectWithClientCredentials: defineForm("/oauth2/auth/{providerConfigKey}", {
    what: "an OAuth client of the end user",
    body: credentialForms.OAUTH2_CC,
  }),
  connectWithApiKey: defineForm("/api-auth/api-key/{providerConfigKey}", {
    what: "an API key",
    body: credentialForms.API_KEY,
  }),
  connectWithBasic: defineForm("/api-auth/basic/{providerConfigKey}", {
    what: "a user name and password",
    body: credentialForms.BASIC,
  }),
  connectWithTokens: defineForm("/auth/tba/{providerConfigKey}", {
    what: "a token id and its secret",
    body: credentialForms.TBA,
  }),
  connectWithJwt: defineForm("/auth/jwt/{providerConfigKey}", {
    what: "a signing key and what its tokens say",
    body: credentialForms.JWT,
  }),
  connectWithTwoSteps: defineForm("/auth/two-step/{providerConfigKey}", {
    what: "credentials that the provider exchanges for a token",
    body: credentialForms.TWO_STEP,
  }),
  connectWithSignature: defineForm("/auth/signature/{providerConfigKey}", {
    what: "credentials that sign a token",
    body: credentialForms.SIGNATURE,
  }),
  connectWithBill: defineForm("/auth/bill/{providerConfigKey}", {
    what: "a user name, password, organization and developer key",
    body: credentialForms.BILL,
  }),
  connectWithAwsRole: defineForm("/auth/aws-sigv4/{providerConfigKey}", {
    what: "a role of an AWS account",
    body: credentialForms.AWS_SIGV4,
  }),
  connectWithNothing: defineForm("/auth/unauthenticated/{providerConfigKey}", {
    what: "no credentials",
    body: credentialForms.NONE,
  }),
  connectFromOutside: defineForm("/auth/oauth-outbound/{providerConfigKey}", {
    what: "an installation that the provider reports later",
    body: z.strictObject({}),
  }),
} as const;

// Browsers get these as pages, programs as JSON.
const browserRoute = {
  method: "GET",
  principals: ["public"],
  scope: "public",
  errors: [
    "invalid_uri_params",
    "invalid_connect_session_token_format",
    "unknown_connect_session_token",
    "deprecated_authentication",
    "not_found",
  ],
  idempotent: false,
  raw: true,
  sessions: "refused",
} as const;

export const authorizationRoutes = {
  ...formRoutes,
  startAuthorization: defineRoute({
    ...browserRoute,
    path: "/oauth/connect/{providerConfigKey}",
    summary: "Send the end user's browser to the provider; answers a redirect or an error page",
    params: keyParams,
    success: { status: 302 },
    errors: [...browserRoute.errors, "connection_test_failed"],
  }),
  finishAuthorization: defineRoute({
    ...browserRoute,
    path: "/oauth/callback",
    summary: "Where the provider sends the browser back; answers a page or a redirect",
    success: { status: 200 },
  }),
  forwardPostedCallback: defineRoute({
    ...browserRoute,
    method: "POST",
    path: "/oauth/callback",
    summary: "The callback of providers that answer with a form (response_mode=form_post)",
    success: { status: 303 },
    form: true,
  }),
  getCallbackScript: defineRoute({
    ...browserRoute,
    path: "/oauth/callback.js",
    summary: "The script of the callback page",
    success: { status: 200 },
  }),
  finishInstallation: defineRoute({
    ...browserRoute,
    path: "/app-auth/connect",
    summary: "Where a code host sends the browser after an app was installed",
    success: { status: 200 },
  }),
  getClientMetadata: defineRoute({
    method: "GET",
    path: "/oauth/client-metadata/{environmentId}/{providerConfigKey}",
    summary: "The OAuth client that this installation is to servers that read client documents",
    principals: ["public"],
    scope: "public",
    params: z.strictObject({
      environmentId: uuid.describe("Environment of the integration, by its id."),
      providerConfigKey: integrationKey.describe("Integration whose client is described."),
    }),
    success: { status: 200 },
    errors: ["feature_disabled", "unknown_environment", "unknown_provider_config"],
    idempotent: false,
    raw: true,
    sessions: "refused",
  }),
} as const;
