import * as z from "zod";
import { flag, includeOf, nextCursor, timestamp, wholeNumber } from "../fields.ts";
import { defineRoute, replacedBy } from "../route.ts";
import { type ConnectionState, connection, connectionState } from "./connection.ts";

/** Lists of connections, and how many there are. */

/** Tags to look for: keys in any case. */
const tagFilter = z.record(z.string().min(1).max(64), z.string().max(255));

const listFilters = {
  connectionId: z
    .string()
    .min(1)
    .max(255)
    .optional()
    .describe("Only connections with exactly this id."),
  integrationId: z
    .string()
    .min(1)
    .max(4096)
    .optional()
    .meta({
      description: "Only connections of these integrations; several keys are separated by commas.",
      examples: ["github,slack"],
    }),
  search: z
    .string()
    .min(1)
    .max(255)
    .optional()
    .describe(
      "Only connections whose id, end user's name or e-mail address contains this text; upper and lower case are the same.",
    ),
  tags: tagFilter
    .optional()
    .describe(
      "Only connections that have all these tags, such as `tags[end_user_id]=u1`. Keys match in any case.",
    ),
  limit: wholeNumber({ min: 1, max: 2000 })
    .optional()
    .describe(
      "Connections on a page. Default 10,000; with `include=credentials` the default and the most are 100.",
    ),
  page: wholeNumber({ min: 0, max: 1_000_000 }).optional().describe("Number of the page, from 0."),
  endUserId: z
    .string()
    .min(1)
    .max(255)
    .optional()
    .meta({ deprecated: true, description: "Deprecated: use `tags[end_user_id]`." }),
  endUserOrganizationId: z
    .string()
    .min(1)
    .max(255)
    .optional()
    .meta({ deprecated: true, description: "Deprecated: use `tags[organization_id]`." }),
};

const listSynonyms = {
  connection_id: "connectionId",
  integration_id: "integrationId",
  userId: "endUserId",
  end_user_id: "endUserId",
  end_user_organization_id: "endUserOrganizationId",
};

const pageFilters = {
  state: connectionState.optional().describe("Only connections in this state."),
  expires_before: timestamp
    .optional()
    .describe(
      "Only connections whose credentials expire before this time, those that expire first at the top.",
    ),
  reauthorize_before: timestamp
    .optional()
    .describe(
      "Only connections whose end users have to authorize again before this time, as far as is known, and are not yet in the state `needs_reauthorization`: credentials that expire without a refresh token, and refresh tokens whose end the provider has named. The first at the top.",
    ),
  unused_since: timestamp
    .optional()
    .describe(
      "Only connections that nobody has used since the day (UTC) of this time began, and that were made before it, those unused for longest first. A use is a read of the credentials, a proxy request, or a call of a function or an agent; the server's own token refreshes are none.",
    ),
  sort: z
    .enum(["created_at", "expires_at", "reauthorize_by", "last_used_at"])
    .optional()
    .describe(
      "`created_at`: newest first, the default. `expires_at`: the next to expire first, without those that do not expire; the only order with `expires_before`. `reauthorize_by`: those first whose end users have to authorize again first, without those of whom that is not known; the only order with `reauthorize_before`. `last_used_at`: by the day on which they were last used, longest ago first; the only order with `unused_since` alone.",
    ),
  cursor: z
    .string()
    .min(1)
    .max(1000)
    .optional()
    .describe("`next_cursor` of the page before, with the same filters; not together with `page`."),
};

function countOf(state: ConnectionState) {
  return z.number().int().describe(`Connections in the state \`${state}\`.`);
}

export const countsByState = z
  .strictObject({
    ok: countOf("ok"),
    refreshing: countOf("refreshing"),
    backoff: countOf("backoff"),
    needs_reauthorization: countOf("needs_reauthorization"),
    pending: countOf("pending"),
  })
  .meta({
    id: "ConnectionCountsByState",
    description: "How many connections are in each state.",
  });

export const connectionListRoutes = {
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
        ...pageFilters,
        include: includeOf("credentials", "error_details", "health").describe(
          "`credentials` adds credentials, for a key with the scope `environment:connections:list_credentials`. `error_details` adds to each error its stage and the provider's answer. `health` adds state, expiry, granted scopes, and why the last token refresh failed.",
        ),
        refresh_token: flag
          .optional()
          .describe("Whether refresh tokens are among the credentials. Default `false`."),
      })
      .refine(
        ({ include, limit = 100 }) => include?.includes("credentials") !== true || limit <= 100,
        {
          message: "must be at most 100 with include=credentials",
          path: ["limit"],
        },
      )
      .refine(({ cursor, page }) => cursor === undefined || page === undefined, {
        message: "may not be sent together with cursor",
        path: ["page"],
      })
      .refine(
        ({ sort = "reauthorize_by", reauthorize_before }) =>
          !reauthorize_before || sort === "reauthorize_by",
        { message: "must be reauthorize_by with reauthorize_before", path: ["sort"] },
      )
      .refine(
        ({ sort, expires_before, reauthorize_before }) =>
          !expires_before ||
          reauthorize_before !== undefined ||
          (sort ?? "expires_at") === "expires_at",
        {
          message: "must be expires_at with expires_before",
          path: ["sort"],
        },
      )
      .refine(
        ({ sort = "last_used_at", unused_since, ...others }) =>
          !unused_since ||
          others.expires_before !== undefined ||
          others.reauthorize_before !== undefined ||
          sort === "last_used_at",
        { message: "must be last_used_at with unused_since", path: ["sort"] },
      ),
    synonyms: { query: { ...listSynonyms, refreshToken: "refresh_token" } },
    success: {
      status: 200,
      schema: z.strictObject({
        connections: z
          .array(connection)
          .describe("The page of connections, in the order asked for."),
        next_cursor: nextCursor,
      }),
    },
    errors: ["invalid_cursor"],
    idempotent: false,
  }),
  countConnections: defineRoute({
    method: "GET",
    path: "/connections/count",
    summary: "Count connections, by state and by integration",
    principals: ["environment"],
    scope: ["environment:connections:list", "environment:connections:list_credentials"],
    query: z.strictObject({ integrationId: listFilters.integrationId }),
    synonyms: { query: { integration_id: "integrationId" } },
    success: {
      status: 200,
      schema: z.strictObject({
        data: z
          .strictObject({
            total: z.number().int().describe("All connections that are counted."),
            by_state: countsByState.describe("How many are in each state."),
            by_integration: z
              .array(
                z
                  .strictObject({
                    provider_config_key: z.string().describe("Key of the integration."),
                    total: z.number().int().describe("Its connections."),
                    by_state: countsByState.describe("How many of them are in each state."),
                  })
                  .meta({
                    id: "IntegrationConnectionCounts",
                    description: "How many connections an integration has.",
                  }),
              )
              .describe(
                "The 1,000 integrations with the most connections, most first; those without any are omitted.",
              ),
          })
          .meta({ id: "ConnectionCounts" })
          .describe("The counts."),
      }),
    },
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
    success: {
      status: 200,
      schema: z.strictObject({
        connections: z
          .array(connection)
          .describe("The page of connections, newest first, without credentials."),
      }),
    },
    errors: [],
    idempotent: false,
    deprecated: replacedBy("GET /connections"),
  }),
} as const;
