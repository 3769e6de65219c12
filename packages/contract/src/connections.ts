import * as z from "zod";
import { stageFields } from "./connect-stages.ts";
import { endUser, presentedEndUser } from "./end-user.ts";
import {
  connectionId,
  flag,
  includeOf,
  integrationKey,
  jsonObject,
  namedTexts,
  success,
  tags,
  timestamp,
  webhookUrl,
  wholeNumber,
} from "./fields.ts";
import { flatImport, flatImportErrors } from "./flat-import.ts";
import { importedCredentials } from "./imported-credentials.ts";
import { defineRoute } from "./route.ts";
import { camelCaseOf } from "./synonyms.ts";

/** Connections: one end user's credentials for one integration. */

/** Texts; `oauth_scopes_override` may also be a list. */
const connectionConfig = z
  .record(
    z.string().min(1).max(255),
    z.union([z.string().max(8192), z.array(z.string().max(255)).max(200)]),
  )
  .refine(
    (config) =>
      Object.entries(config).every(
        ([name, value]) => name === "oauth_scopes_override" || typeof value === "string",
      ),
    "may hold strings only; a list is for oauth_scopes_override alone",
  )
  .transform((config) =>
    Object.fromEntries(Object.entries(config).map(([name, value]) => [name, String(value)])),
  );

export const connection = z.strictObject({
  id: z.number().int(),
  connection_id: z.string(),
  provider_config_key: z.string(),
  provider: z.string(),
  errors: z.array(z.strictObject({ type: z.string(), log_id: z.string(), ...stageFields })),
  end_user: presentedEndUser.nullable(),
  metadata: jsonObject.nullable(),
  tags: z.record(z.string(), z.string()),
  connection_config: jsonObject,
  created: timestamp,
  created_at: timestamp,
  updated_at: timestamp,
  webhook_url_override: z.string().nullable(),
  last_fetched_at: timestamp.nullable(),
  credentials: jsonObject.optional(),
});

const idParams = z.strictObject({ connectionId });
const integrationQuery = z.strictObject({ provider_config_key: integrationKey });
const integrationSynonyms = { query: camelCaseOf("provider_config_key") };

/** Older routes take the integration as a header, too. */
const integrationHeader = z.object({ "provider-config-key": integrationKey.optional() });

/** Tags to look for: keys in any case. */
const tagFilter = z.record(z.string().min(1).max(64), z.string().max(255));

const metadataBody = z.strictObject({
  connection_id: z.union([connectionId, z.array(connectionId).max(1000)]),
  provider_config_key: integrationKey,
  metadata: jsonObject,
});

const metadataSynonyms = { body: camelCaseOf("connection_id", "provider_config_key") };

const metadataOfOne = {
  path: "/connection/{connectionId}/metadata",
  principals: ["environment"],
  scope: "environment:connections:update",
  params: idParams,
  query: integrationQuery.partial(),
  headers: integrationHeader,
  synonyms: integrationSynonyms,
  messageNextToError: true,
  body: jsonObject,
  errors: ["unknown_connection", "missing_provider_config"],
} as const;

const listFilters = {
  connectionId: z.string().min(1).max(255).optional(),
  /** Keys of integrations, separated by commas. */
  integrationId: z.string().min(1).max(4096).optional(),
  search: z.string().min(1).max(255).optional(),
  tags: tagFilter.optional(),
  limit: wholeNumber({ min: 1, max: 2000 }).optional(),
  page: wholeNumber({ min: 0, max: 1_000_000 }).optional(),
  /** Deprecated: tags[end_user_id]. */
  endUserId: z.string().min(1).max(255).optional(),
  /** Deprecated: tags[organization_id]. */
  endUserOrganizationId: z.string().min(1).max(255).optional(),
};

const listSynonyms = {
  connection_id: "connectionId",
  integration_id: "integrationId",
  userId: "endUserId",
  end_user_id: "endUserId",
  end_user_organization_id: "endUserOrganizationId",
};

function replacedBy(use: string) {
  return { since: "2026-11-21", sunset: "2027-11-21", use };
}

export const connectionRoutes = {
  createConnection: defineRoute({
    method: "POST",
    path: "/connections",
    summary: "Import a connection whose credentials you hold",
    principals: ["environment"],
    scope: "environment:connections:create",
    body: z.strictObject({
      provider_config_key: integrationKey,
      connection_id: connectionId.optional(),
      credentials: importedCredentials,
      metadata: jsonObject.optional(),
      connection_config: connectionConfig.optional(),
      tags: tags.optional(),
      end_user: endUser.optional(),
      webhook_url_override: webhookUrl.optional(),
    }),
    success: { status: 201, schema: connection },
    errors: [
      "not_found",
      "resource_capped",
      "conflict",
      "connection_test_failed",
      "connection_validation_failed",
      "destination_not_allowed",
    ],
    idempotent: true,
  }),
  listConnections: defineRoute({
    method: "GET",
    path: "/connections",
    summary:
      "List connections, newest first; with credentials, at most 100 a page, for a key that names list_credentials, and for others that hold it with `include=credentials`",
    principals: ["environment"],
    scope: ["environment:connections:list", "environment:connections:list_credentials"],
    query: z
      .strictObject({
        ...listFilters,
        include: includeOf("credentials", "error_details"),
        /** With credentials: whether refresh tokens are among them. */
        refresh_token: flag.optional(),
      })
      .refine(
        ({ include, limit = 100 }) => include?.includes("credentials") !== true || limit <= 100,
        {
          message: "must be at most 100 with include=credentials",
          path: ["limit"],
        },
      ),
    synonyms: { query: { ...listSynonyms, refreshToken: "refresh_token" } },
    success: { status: 200, schema: z.strictObject({ connections: z.array(connection) }) },
    errors: [],
    idempotent: false,
  }),
  listConnectionsLegacy: defineRoute({
    method: "GET",
    path: "/connection",
    summary: "List connections, newest first, without credentials",
    principals: ["environment"],
    scope: ["environment:connections:list", "environment:connections:list_credentials"],
    query: z.strictObject(listFilters),
    synonyms: { query: listSynonyms },
    success: { status: 200, schema: z.strictObject({ connections: z.array(connection) }) },
    errors: [],
    idempotent: false,
    deprecated: replacedBy("GET /connections"),
  }),
  getConnection: defineRoute({
    method: "GET",
    path: "/connections/{connectionId}",
    summary: "Get a connection; with read_credentials also its fresh credentials",
    principals: ["environment"],
    scope: ["environment:connections:read", "environment:connections:read_credentials"],
    params: idParams,
    query: integrationQuery.extend({
      include: includeOf("error_details"),
      force_refresh: flag.optional(),
      refresh_token: flag.optional(),
      /** Renews the token of an app, like force_refresh. */
      refresh_github_app_jwt_token: flag.optional(),
    }),
    synonyms: {
      query: camelCaseOf(
        "provider_config_key",
        "force_refresh",
        "refresh_token",
        "refresh_github_app_jwt_token",
      ),
    },
    success: { status: 200, schema: connection },
    errors: [
      "not_found",
      { code: "unknown_provider_config", status: 400 },
      "invalid_credentials",
      "connection_refresh_backoff",
      "refresh_in_progress",
      "quarantined",
      "integration_misconfigured",
    ],
    idempotent: false,
    aliases: ["/connection/{connectionId}", "/v1/connections/{connectionId}"],
  }),
  updateConnection: defineRoute({
    method: "PATCH",
    path: "/connections/{connectionId}",
    summary: "Change whom a connection belongs to and where its webhooks go; tags replace all tags",
    principals: ["environment"],
    scope: "environment:connections:update",
    params: idParams,
    query: integrationQuery,
    synonyms: integrationSynonyms,
    body: z.strictObject({
      tags: tags.optional(),
      /** Deprecated: tags. */
      end_user: endUser.optional(),
      /** Empty: none. */
      webhook_url_override: webhookUrl.optional(),
    }),
    success: { status: 200, schema: success },
    errors: [
      "not_found",
      { code: "unknown_provider_config", status: 400 },
      "destination_not_allowed",
    ],
    idempotent: false,
    aliases: ["/v1/connections/{connectionId}"],
  }),
  updateConnectionConfig: defineRoute({
    method: "PATCH",
    path: "/connection/{connectionId}/config",
    summary: "Merge values into the connection's configuration; an empty text removes a value",
    principals: ["environment"],
    scope: "environment:connections:update",
    params: idParams,
    query: integrationQuery.partial(),
    headers: integrationHeader,
    synonyms: integrationSynonyms,
    body: namedTexts,
    success: { status: 200, schema: jsonObject },
    errors: [
      "not_found",
      "missing_provider_config",
      { code: "unknown_provider_config", status: 400 },
    ],
    idempotent: false,
  }),
  deleteConnection: defineRoute({
    method: "DELETE",
    path: "/connections/{connectionId}",
    summary: "Delete a connection with its syncs and records",
    principals: ["environment"],
    scope: "environment:connections:delete",
    params: idParams,
    query: integrationQuery,
    synonyms: integrationSynonyms,
    success: { status: 200, schema: success },
    errors: ["unknown_connection"],
    idempotent: false,
    aliases: ["/connection/{connectionId}"],
  }),
  setMetadata: defineRoute({
    method: "POST",
    path: "/connections/metadata",
    summary: "Replace the metadata of one or many connections",
    principals: ["environment"],
    scope: "environment:connections:update",
    body: metadataBody,
    success: { status: 201, schema: metadataBody },
    errors: ["unknown_connection"],
    idempotent: true,
    synonyms: metadataSynonyms,
    messageNextToError: true,
    aliases: ["/connection/metadata"],
  }),
  updateMetadata: defineRoute({
    method: "PATCH",
    path: "/connections/metadata",
    summary: "Merge metadata into one or many connections, first level only",
    principals: ["environment"],
    scope: "environment:connections:update",
    body: metadataBody,
    success: { status: 200, schema: metadataBody },
    errors: ["unknown_connection"],
    idempotent: false,
    synonyms: metadataSynonyms,
    messageNextToError: true,
    aliases: ["/connection/metadata"],
  }),
  setMetadataOfOne: defineRoute({
    ...metadataOfOne,
    method: "POST",
    summary: "Replace the metadata of one connection; the body is the metadata",
    success: { status: 201, schema: jsonObject },
    idempotent: true,
    deprecated: replacedBy("POST /connections/metadata"),
  }),
  updateMetadataOfOne: defineRoute({
    ...metadataOfOne,
    method: "PATCH",
    summary: "Merge metadata into one connection; the body is the metadata",
    success: { status: 200, schema: jsonObject },
    idempotent: false,
    deprecated: replacedBy("PATCH /connections/metadata"),
  }),
  createConnectionFlat: defineRoute({
    method: "POST",
    path: "/connection",
    summary: "Import a connection, its credentials next to the other fields",
    principals: ["environment"],
    scope: "environment:connections:create",
    body: flatImport,
    success: { status: 201, schema: jsonObject },
    errors: [
      "missing_provider_config",
      { code: "unknown_provider_config", status: 400 },
      ...flatImportErrors,
      "resource_capped",
      "conflict",
      "connection_test_failed",
      "destination_not_allowed",
    ],
    idempotent: true,
    deprecated: replacedBy("POST /connections"),
  }),
} as const;
