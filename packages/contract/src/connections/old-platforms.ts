import * as z from "zod";
import { connectionId, integrationKey, pageQuery, timestamp, uuid } from "../fields.ts";
import { defineRoute } from "../route.ts";

/** Platforms that connections move away from: read through first, then handed over one by one. */

const MOST_AT_ONCE = 50;

const name = z
  .string()
  .min(1)
  .max(100)
  .regex(/^[\w .-]+$/, "may hold letters, digits, spaces, _, . and - only")
  .describe("Name of the old platform, unique in the environment.");

const url = z
  .url({ protocol: /^https?$/, error: "must be an http or https URL" })
  .max(2000)
  .meta({
    description:
      "Address of its API, without path parameters. `https`, unless the operator has opened the host.",
    examples: ["https://api.nango.dev"],
  });

const secretKey = z
  .string()
  .min(1)
  .max(1024)
  .regex(/^[\x21-\x7e]+$/, "may hold visible ASCII characters only")
  .describe(
    "Its API key. It has to read credentials; to hand connections over it also has to delete them, to hand back it has to create them. Stored encrypted, and never shown again.",
  );

const connectionState = z
  .enum(["read_through", "handing_over", "handed_over", "handing_back", "reauthorized"])
  .meta({
    id: "OldPlatformConnectionState",
    description:
      "`read_through`: the old platform refreshes the tokens, and this server asks it for them. `handing_over`: the old platform has been asked to delete its connection; until that is certain, neither side refreshes. `handed_over`: this server refreshes. `handing_back`: the old platform has been asked to import the connection; until that is certain, neither side refreshes. `reauthorized`: the end user has connected here since, so that the tokens are no longer those of the old platform.",
  });

const counts = z
  .strictObject({
    read_through: z.number().int().describe("That the old platform refreshes."),
    handing_over: z.number().int().describe("Whose hand-over is not finished."),
    handed_over: z.number().int().describe("That this server refreshes."),
    handing_back: z.number().int().describe("Whose way back is not finished."),
    reauthorized: z.number().int().describe("That were connected here since."),
  })
  .meta({
    id: "OldPlatformCounts",
    description: "How many connections of an old platform are in which state.",
  });

const oldPlatform = z
  .strictObject({
    id: uuid.describe("Id of the old platform."),
    name: z.string().describe("Its name."),
    url: z.string().describe("Address of its API."),
    connections: counts.describe("How many of its connections are in which state."),
    created_at: timestamp.describe("When it was added."),
    updated_at: timestamp.describe("When its address or key last changed."),
  })
  .meta({ id: "OldPlatform", description: "A platform that connections move away from." });

const refusalCode = z
  .enum([
    "old_platform_unreachable",
    "old_platform_refused",
    "old_platform_invalid_answer",
    "old_side_refreshing",
    "old_side_withdraws",
    "deletion_refused",
    "not_deleted",
    "import_refused",
    "in_progress",
    "wrong_state",
    "frozen",
    "server_error",
  ])
  .meta({
    id: "HandOverRefusalCode",
    description:
      "`old_platform_unreachable`: it did not answer in time, or with a server error. `old_platform_refused`: it refused the call, such as for a wrong key. `old_platform_invalid_answer`: it answered without the credentials. `old_side_refreshing`: its refresh token changed between two reads, so it is in use. `old_side_withdraws`: it would withdraw the tokens when its connection is deleted. `deletion_refused`: it did not delete its connection. `not_deleted`: its connection still exists after the deletion. `import_refused`: it did not import the connection. `in_progress`: another refresh or hand-over of the connection is running. `wrong_state`: the state of the connection does not allow it. `frozen`: a revocation has frozen the connection. `server_error`: something failed on our side.",
  });

const refusal = z
  .strictObject({
    code: refusalCode.describe("Why it was refused."),
    message: z.string().describe("What happened and what to do."),
    at: timestamp.describe("When it was refused."),
  })
  .meta({ id: "HandOverRefusal", description: "Why a connection was not handed over or back." });

const item = z
  .strictObject({
    provider_config_key: z.string().describe("Key of the integration."),
    connection_id: z.string().describe("Id of the connection."),
    state: connectionState.describe("Who refreshes its tokens."),
    old_side: z
      .enum(["deleted", "stopped", "unchanged"])
      .nullable()
      .describe(
        "How it is known that the old platform no longer refreshes: `deleted`: its connection was deleted. `stopped`: the caller confirmed it. `unchanged`: there is no refresh token. Null before the hand-over.",
      ),
    refusal: refusal
      .nullable()
      .describe("Why the last hand-over or way back was refused; null when none was."),
    imported_at: timestamp.describe("When it was imported to be read through."),
    handed_over_at: timestamp.nullable().describe("When it was handed over; null before."),
  })
  .meta({
    id: "OldPlatformConnection",
    description: "A connection that came from an old platform, and who refreshes it.",
  });

const platformParams = z.strictObject({ oldPlatformId: uuid.describe("The old platform.") });
const onePlatform = z.strictObject({ data: oldPlatform.describe("The old platform.") });

const named = z
  .strictObject({
    provider_config_key: integrationKey.describe("Key of the integration, the same on both sides."),
    connection_id: connectionId.describe("Id of the connection, the same on both sides."),
  })
  .meta({ id: "NamedConnection", description: "A connection by its integration and id." });

const choice = {
  connections: z
    .array(named)
    .min(1)
    .max(MOST_AT_ONCE)
    .optional()
    .describe("These connections. Absent: those that `provider_config_key` and `limit` choose."),
  provider_config_key: integrationKey
    .optional()
    .describe("Connections of this integration. Absent: of all."),
  limit: z
    .number()
    .int()
    .min(1)
    .max(MOST_AT_ONCE)
    .optional()
    .describe("At most so many connections, 1 to 50; default 10."),
};

const results = z.strictObject({
  data: z
    .array(
      item
        .extend({
          is_done: z.boolean().describe("Whether the connection has been handed over or back."),
        })
        .meta({
          id: "HandOverResult",
          description: "What became of one connection of a hand-over, or of the way back.",
        }),
    )
    .describe("The chosen connections, in the order in which they were tried."),
  remaining: z
    .number()
    .int()
    .describe(
      "How many more connections fit the choice that this call has not tried: repeat it for these.",
    ),
});

export const oldPlatformRoutes = {
  createOldPlatform: defineRoute({
    method: "POST",
    path: "/old-platforms",
    summary: "Add a platform whose connections are read through",
    principals: ["environment"],
    scope: "environment:connections:create",
    body: z.strictObject({ name, url, secret_key: secretKey }).meta({
      id: "NewOldPlatform",
      examples: [{ name: "nango", url: "https://api.nango.dev", secret_key: "<nango_secret_key>" }],
    }),
    success: { status: 201, schema: onePlatform },
    errors: ["conflict", "resource_capped", "destination_not_allowed", "invalid_credentials"],
    stepUp: "production",
    idempotent: true,
  }),
  listOldPlatforms: defineRoute({
    method: "GET",
    path: "/old-platforms",
    summary: "List platforms whose connections are read through",
    principals: ["environment"],
    scope: "environment:connections:list",
    success: {
      status: 200,
      schema: z.strictObject({
        data: z.array(oldPlatform).describe("The old platforms, by name; at most 20."),
      }),
    },
    errors: [],
    idempotent: false,
  }),
  getOldPlatform: defineRoute({
    method: "GET",
    path: "/old-platforms/{oldPlatformId}",
    summary: "Get an old platform, with how many connections are in which state",
    principals: ["environment"],
    scope: "environment:connections:list",
    params: platformParams,
    success: { status: 200, schema: onePlatform },
    errors: ["not_found"],
    idempotent: false,
  }),
  updateOldPlatform: defineRoute({
    method: "PATCH",
    path: "/old-platforms/{oldPlatformId}",
    summary: "Change the address or key of an old platform",
    principals: ["environment"],
    scope: "environment:connections:create",
    params: platformParams,
    body: z
      .strictObject({ url: url.optional(), secret_key: secretKey })
      .meta({ id: "OldPlatformChange", examples: [{ secret_key: "<nango_secret_key>" }] }),
    success: { status: 200, schema: onePlatform },
    errors: ["not_found", "destination_not_allowed", "invalid_credentials"],
    stepUp: "production",
    idempotent: true,
  }),
  deleteOldPlatform: defineRoute({
    method: "DELETE",
    path: "/old-platforms/{oldPlatformId}",
    summary: "Forget an old platform once no connection depends on it",
    principals: ["environment"],
    scope: "environment:connections:delete",
    params: platformParams,
    success: { status: 204 },
    errors: ["not_found", "conflict"],
    stepUp: "production",
    idempotent: false,
  }),
  readThroughConnection: defineRoute({
    method: "POST",
    path: "/old-platforms/{oldPlatformId}/connections",
    summary: "Import a connection whose tokens the old platform keeps refreshing",
    principals: ["environment"],
    scope: "environment:connections:create",
    params: platformParams,
    body: named,
    success: {
      status: 201,
      schema: z.strictObject({ data: item.describe("The connection, and who refreshes it.") }),
    },
    errors: [
      "not_found",
      "unknown_provider_config",
      "conflict",
      "invalid_auth_mode",
      "resource_capped",
      "upstream_unavailable",
      "quarantined",
    ],
    idempotent: true,
  }),
  listOldPlatformConnections: defineRoute({
    method: "GET",
    path: "/old-platforms/{oldPlatformId}/connections",
    summary: "Report which connections were handed over, refused, or are still read through",
    principals: ["environment"],
    scope: "environment:connections:list",
    params: platformParams,
    query: z.strictObject({
      ...pageQuery("Connections", { most: 500, usual: 100 }),
      state: connectionState.optional().describe("Only connections in this state."),
      provider_config_key: integrationKey
        .optional()
        .describe("Only connections of this integration."),
      refused: z.enum(["true"]).optional().describe("`true`: only those that were last refused."),
    }),
    success: {
      status: 200,
      schema: z.strictObject({
        data: z.array(item).describe("The connections, in the order of their import."),
        next_cursor: z.string().nullable().describe("Cursor of the next page; null on the last."),
      }),
    },
    errors: ["not_found", "invalid_cursor"],
    idempotent: false,
  }),
  handOverConnections: defineRoute({
    method: "POST",
    path: "/old-platforms/{oldPlatformId}/hand-over",
    summary: "Take connections over from an old platform, which then no longer refreshes them",
    principals: ["environment"],
    scope: "environment:connections:update",
    params: platformParams,
    body: z
      .strictObject({
        ...choice,
        old_side: z
          .enum(["delete", "stopped"])
          .optional()
          .describe(
            "How the old platform is kept from refreshing: `delete` (default) deletes its connection. `stopped`: you confirm that nothing there refreshes or uses the connection any more, such as after you stopped its syncs and calls.",
          ),
      })
      .meta({ id: "HandOver", examples: [{ provider_config_key: "crm", limit: 10 }] }),
    success: { status: 200, schema: results },
    errors: ["not_found", "unknown_provider_config", "quarantined"],
    stepUp: "production",
    idempotent: true,
  }),
  handBackConnections: defineRoute({
    method: "POST",
    path: "/old-platforms/{oldPlatformId}/hand-back",
    summary: "Give connections back to the old platform, which then refreshes them again",
    principals: ["environment"],
    scope: "environment:connections:update",
    params: platformParams,
    body: z.strictObject(choice).meta({
      id: "HandBack",
      examples: [{ connections: [{ provider_config_key: "crm", connection_id: "user-42" }] }],
    }),
    success: { status: 200, schema: results },
    errors: ["not_found", "unknown_provider_config", "quarantined"],
    stepUp: "production",
    idempotent: true,
  }),
} as const;
