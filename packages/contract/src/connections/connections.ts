import * as z from "zod";
import { endUser } from "../connect/end-user.ts";
import { credentialsWithoutType } from "../credential-type.ts";
import {
  connectionId,
  flag,
  includeOf,
  integrationKey,
  jsonObject,
  namedTexts,
  success,
  tags,
  webhookUrl,
} from "../fields.ts";
import { defineRoute, replacedBy } from "../route.ts";
import { camelCaseOf } from "../synonyms.ts";
import {
  connection,
  idParams,
  integrationHeader,
  integrationQuery,
  integrationSynonyms,
} from "./connection.ts";
import { connectionListRoutes } from "./connection-lists.ts";
import { connectionUseRoutes } from "./connection-uses.ts";
import { flatImport, flatImportErrors } from "./flat-import.ts";
import { importedCredentials } from "./imported-credentials.ts";
import { metadataRoutes } from "./metadata.ts";
import { revealRoutes } from "./reveal.ts";

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
  )
  .meta({
    id: "ConnectionConfig",
    description:
      "Values that the provider's addresses and headers need, by name; `GET /providers/{provider}` lists them. Texts of up to 8,192 characters; `oauth_scopes_override` may also be a list.",
    examples: [{ subdomain: "acme" }],
  });

export const connectionRoutes = {
  createConnection: defineRoute({
    method: "POST",
    path: "/connections",
    summary: "Import a connection whose credentials you hold",
    principals: ["environment"],
    scope: "environment:connections:create",
    body: z
      .strictObject({
        provider_config_key: integrationKey.describe("Integration to connect to."),
        connection_id: connectionId.optional().meta({
          description:
            "Id for the connection. Default: a random UUID. If the integration has a connection of that id, its credentials are replaced.",
          examples: ["customer-7"],
        }),
        credentials: z
          .discriminatedUnion("type", [importedCredentials, credentialsWithoutType])
          .describe(
            "The credentials to import. `type` is the provider's `auth_mode` and may be omitted. They are tried with a call to the provider where its entry has one.",
          ),
        metadata: jsonObject.optional().meta({
          description: "Your own data about the connection.",
          examples: [{ plan: "free" }],
        }),
        connection_config: connectionConfig
          .optional()
          .describe("Values that the provider needs for this connection, such as a subdomain."),
        tags: tags.optional().meta({
          description: "Tags of the connection; by these you find it again.",
          examples: [{ end_user_id: "u1", team: "sales" }],
        }),
        end_user: endUser.optional().meta({
          deprecated: true,
          description: "Deprecated: use `tags`, which win where both name a value.",
        }),
        webhook_url_override: webhookUrl
          .optional()
          .describe(
            "Where webhooks about this connection go instead of the environment's addresses.",
          ),
        allow_account_change: z
          .boolean()
          .optional()
          .describe(
            "`true` also takes credentials of another account than the connection of this id has. Default `false`: these are refused with `account_changed`.",
          ),
      })
      .meta({ id: "NewConnection" }),
    success: { status: 201, schema: connection },
    errors: [
      "not_found",
      "resource_capped",
      "conflict",
      "account_changed",
      "connection_test_failed",
      "connection_validation_failed",
      "destination_not_allowed",
    ],
    idempotent: true,
  }),
  ...connectionListRoutes,
  refreshConnection: defineRoute({
    method: "POST",
    path: "/connections/{connectionId}/refresh",
    summary: "Refresh the token of a connection now, also while an earlier failure is waited out",
    principals: ["environment"],
    scope: ["environment:connections:refresh", "environment:connections:update"],
    params: idParams,
    query: integrationQuery,
    synonyms: integrationSynonyms,
    success: {
      status: 200,
      schema: z.strictObject({
        refreshed: z
          .boolean()
          .describe(
            "`false` where there is nothing to refresh: credentials that do not expire, or a connection that is pending.",
          ),
        data: connection.describe("The connection with its `health`, without credentials."),
      }),
    },
    errors: [
      "not_found",
      { code: "unknown_provider_config", status: 400 },
      "invalid_credentials",
      "connection_frozen",
      "connection_refresh_backoff",
      "refresh_in_progress",
      "quarantined",
      "integration_misconfigured",
    ],
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
      include: includeOf("error_details", "health").describe(
        "`error_details` adds to each error its stage and the provider's answer; `health` adds state, expiry and granted scopes.",
      ),
      force_refresh: flag
        .optional()
        .describe(
          "`true` renews the token even when it is still valid; needs the scope for credentials.",
        ),
      refresh_token: flag
        .optional()
        .describe("`true` also answers refresh tokens; needs the scope for credentials."),
      refresh_github_app_jwt_token: flag
        .optional()
        .describe("`true` also renews the token of a GitHub App's own; like `force_refresh`."),
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
      "connection_frozen",
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
    summary:
      "Change tags, webhook address and webhook secret of a connection; tags replace all tags",
    principals: ["environment"],
    scope: "environment:connections:update",
    params: idParams,
    query: integrationQuery,
    synonyms: integrationSynonyms,
    body: z
      .strictObject({
        tags: tags.optional().meta({
          description: "Replaces all tags of the connection.",
          examples: [{ end_user_id: "u1", team: "sales" }],
        }),
        end_user: endUser
          .optional()
          .meta({ deprecated: true, description: "Deprecated: use `tags`." }),
        webhook_url_override: webhookUrl
          .optional()
          .describe(
            "Where webhooks about this connection go; an empty text restores the environment's addresses.",
          ),
        webhook_secret: z
          .string()
          .max(1000)
          .optional()
          .meta({
            description:
              "What the provider signs webhooks about this connection with, where each subscription has a secret of its own (Asana, GitLab, PagerDuty). Kept encrypted and not shown; at most 1,000 characters. An empty text removes it.",
            examples: ["of-the-subscription"],
          }),
      })
      .meta({ id: "ConnectionChange" }),
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
    stepUp: "production",
    params: idParams,
    query: integrationQuery,
    synonyms: integrationSynonyms,
    success: { status: 200, schema: success },
    errors: ["unknown_connection"],
    idempotent: false,
    aliases: ["/connection/{connectionId}"],
  }),
  ...connectionUseRoutes,
  ...metadataRoutes,
  revealConnectionField: revealRoutes.revealConnectionField,
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
