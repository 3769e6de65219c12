import * as z from "zod";
import {
  connectionId,
  flag,
  integrationKey,
  jsonObject,
  success,
  tags,
  timestamp,
  webhookUrl,
  wholeNumber,
} from "./fields.ts";
import { defineRoute } from "./route.ts";

/** Connections: one end user's credentials for one integration. Source: HTTP contract 2.1, 2.2, 6.1. */

const secretText = z.string().max(16_384);

export const importedCredentials = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("OAUTH2"),
    access_token: secretText.min(1),
    refresh_token: secretText.optional(),
    expires_at: timestamp.optional(),
  }),
  z.strictObject({
    type: z.literal("OAUTH2_CC"),
    client_id: z.string().min(1).max(255),
    client_secret: z.string().min(1).max(2048),
    token: z.string().min(1).max(4096),
    expires_at: timestamp.optional(),
  }),
  z.strictObject({ type: z.literal("API_KEY"), apiKey: z.string().min(1).max(1024) }),
  z.strictObject({
    type: z.literal("BASIC"),
    username: z.string().max(1024),
    password: z.string().max(1024),
  }),
  z.strictObject({ type: z.literal("NONE") }),
]);

export const connection = z.strictObject({
  id: z.number().int(),
  connection_id: z.string(),
  provider_config_key: z.string(),
  provider: z.string(),
  errors: z.array(z.strictObject({ type: z.string(), log_id: z.string() })),
  end_user: z.null(),
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

const metadataBody = z.strictObject({
  connection_id: z.union([connectionId, z.array(connectionId).max(1000)]),
  provider_config_key: integrationKey,
  metadata: jsonObject,
});

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
      connection_config: z.record(z.string(), z.string()).optional(),
      tags: tags.optional(),
      webhook_url_override: webhookUrl.optional(),
    }),
    success: { status: 201, schema: connection },
    errors: ["not_found", "connection_test_failed", "destination_not_allowed"],
    idempotent: true,
  }),
  listConnections: defineRoute({
    method: "GET",
    path: "/connections",
    summary: "List connections, newest first, without credentials",
    principals: ["environment"],
    scope: ["environment:connections:list", "environment:connections:list_credentials"],
    query: z.strictObject({
      connectionId: z.string().min(1).max(255).optional(),
      integrationId: z.string().min(1).max(4096).optional(),
      search: z.string().min(1).max(255).optional(),
      tags: z.record(z.string(), z.string()).optional(),
      limit: wholeNumber({ min: 1, max: 2000 }).optional(),
      page: wholeNumber({ min: 0, max: 1_000_000 }).optional(),
    }),
    success: { status: 200, schema: z.strictObject({ connections: z.array(connection) }) },
    errors: [],
    idempotent: false,
  }),
  getConnection: defineRoute({
    method: "GET",
    path: "/connections/{connectionId}",
    summary: "Get a connection; with read_credentials also its fresh credentials",
    principals: ["environment"],
    scope: ["environment:connections:read", "environment:connections:read_credentials"],
    params: idParams,
    query: integrationQuery.extend({
      force_refresh: flag.optional(),
      refresh_token: flag.optional(),
    }),
    success: { status: 200, schema: connection },
    errors: [
      "not_found",
      "unknown_provider_config",
      "invalid_credentials",
      "connection_refresh_backoff",
      "refresh_in_progress",
      "integration_misconfigured",
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
    success: { status: 200, schema: success },
    errors: ["unknown_connection"],
    idempotent: false,
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
    aliases: ["/connection/metadata"],
  }),
} as const;
