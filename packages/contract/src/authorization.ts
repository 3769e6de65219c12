import * as z from "zod";
import { integrationKey, namedTexts } from "./fields.ts";
import { defineRoute } from "./route.ts";

/** The end user's ways to authorise: forms, and the browser's way to a provider and back. */

const keyParams = z.strictObject({ providerConfigKey: integrationKey });

const texts = namedTexts.optional();

/** What a client calls an attempt of its session. */
export const attemptId = z
  .string()
  .regex(/^[a-zA-Z0-9_-]{1,64}$/, "may hold up to 64 letters, digits, _ and -");

/** What every way to authorise takes in its query; the session's values come before these. */
export const connectQuery = z.strictObject({
  connect_session_token: z.string().max(255).optional(),
  /** Answered with a link to sessions. */
  public_key: z.string().max(255).optional(),
  hmac: z.string().max(255).optional(),
  connection_id: z.string().max(255).optional(),
  params: texts,
  user_scope: z.string().max(2048).optional(),
  authorization_params: texts,
  credentials: z
    .strictObject({
      oauth_client_id_override: z.string().max(255).optional(),
      oauth_client_secret_override: z.string().max(2048).optional(),
      oauth_refresh_token_override: z.string().max(16_384).optional(),
    })
    .optional(),
  ws_client_id: z.string().max(255).optional(),
  /** Comes back in the session's result, so that a client knows its own attempt. */
  attempt_id: attemptId.optional(),
  /** The page that opened the popup: told of the end by postMessage, if the session allows its origin. */
  opener_origin: z.string().max(255).optional(),
});

const madeConnection = z.strictObject({
  connectionId: z.string(),
  providerConfigKey: z.string(),
  isPending: z.boolean().optional(),
});

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
      "integration_misconfigured",
    ],
    idempotent: false,
  });
}

const text = z.string().min(1, "must not be empty");

/** Of a field that the provider's entry names. */
export const entryField = z.string().max(32_768);

/** The route says of which type its credentials are, so the body need not. */
function typed<const Type extends string>(type: Type) {
  return z.literal(type).default(type);
}

/** Credentials that an end user types, by the type that they make. */
export const credentialForms = {
  OAUTH2_CC: z
    .object({
      type: typed("OAUTH2_CC"),
      client_id: text.max(255),
      client_secret: z.string().max(2048).optional(),
      client_private_key: z.string().max(10_000).optional(),
      client_certificate: z.string().max(10_000).optional(),
    })
    .catchall(entryField)
    .refine((body) => Boolean(body.client_secret || body.client_private_key), {
      message: "is missing: send it, or a client_private_key",
      path: ["client_secret"],
    }),
  API_KEY: z
    .object({
      type: typed("API_KEY"),
      apiKey: z.string().trim().min(1, "must not be empty").max(1024),
    })
    .catchall(entryField),
  BASIC: z
    .object({
      type: typed("BASIC"),
      username: z.string().max(1024),
      password: z.string().max(1024),
    })
    .catchall(entryField),
  TBA: z.strictObject({
    type: typed("TBA"),
    token_id: text.max(2048),
    token_secret: text.max(2048),
    oauth_client_id_override: z.string().max(255).optional(),
    oauth_client_secret_override: z.string().max(2048).optional(),
  }),
  JWT: z.object({ type: typed("JWT") }).catchall(entryField),
  TWO_STEP: z
    .object({ type: typed("TWO_STEP") })
    .catchall(z.union([entryField, z.record(z.string().min(1).max(255), entryField)])),
  SIGNATURE: z.strictObject({
    type: typed("SIGNATURE"),
    username: text.max(1024),
    password: text.max(1024),
  }),
  BILL: z.strictObject({
    type: typed("BILL"),
    username: text.max(1024),
    password: text.max(1024),
    organization_id: text.max(255),
    dev_key: text.max(1024),
  }),
  AWS_SIGV4: z.strictObject({
    type: typed("AWS_SIGV4"),
    role_arn: text.max(2048),
    region: z
      .string()
      .max(64)
      .regex(/^[a-z0-9-]+$/, "may hold lower-case letters, digits and - only")
      .optional(),
  }),
  NONE: z.strictObject({ type: typed("NONE") }),
} as const;

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
    params: z.strictObject({ environmentId: z.uuid(), providerConfigKey: integrationKey }),
    success: { status: 200 },
    errors: ["feature_disabled", "unknown_environment", "unknown_provider_config"],
    idempotent: false,
    raw: true,
  }),
} as const;
