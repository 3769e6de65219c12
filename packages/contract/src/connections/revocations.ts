import * as z from "zod";
import { connectionId, integrationKey, pageQuery, timestamp, uuid } from "../fields.ts";
import { defineRoute } from "../route.ts";

/** Freezing connections at once, withdrawing their tokens at the providers, and a signed report of it. */

const match = z
  .strictObject({
    provider_config_key: integrationKey.optional().describe("Connections of this integration."),
    connection_id: connectionId.optional().describe("Connections of this id."),
    tags: z
      .record(z.string().min(1).max(64), z.string().max(255))
      .optional()
      .describe("Connections that have all these tags.")
      .meta({ examples: [{ team: "sales" }] }),
    end_user_id: z
      .string()
      .min(1)
      .max(255)
      .optional()
      .describe("Connections of this end user: those whose tag `end_user_id` it is."),
    from: timestamp
      .optional()
      .describe(
        "Connections that were made, or whose token was last refreshed, at or after this time.",
      ),
    to: timestamp
      .optional()
      .describe("Connections that were made, or whose token was last refreshed, before this time."),
    key_id: uuid
      .optional()
      .describe("Connections whose credentials this API key has read, as far as reads are stored."),
  })
  .meta({
    id: "RevocationMatch",
    description:
      "Which connections are meant: those for which all that is named holds. At least one name is needed.",
  });

const itemState = z
  .enum([
    "waiting",
    "withdrawn",
    "partly_withdrawn",
    "not_withdrawable",
    "failed",
    "gone",
    "released",
  ])
  .meta({
    id: "RevokedConnectionState",
    description:
      "`waiting`: not finished. `withdrawn`: the provider has withdrawn each token. `partly_withdrawn`: one of two tokens. `not_withdrawable`: not possible; `reason` says why. `failed`: the provider did not withdraw it. `gone`: the connection was deleted before. `released`: it was released before. Of a rehearsal, what would be tried.",
  });

const answer = z
  .strictObject({
    token: z
      .enum(["refresh_token", "access_token", "credentials"])
      .describe("What was to be withdrawn; `credentials` where the provider has a way of its own."),
    host: z.string().nullable().describe("Host that was asked; null where none was."),
    status: z.number().int().nullable().describe("HTTP status of the answer; null without one."),
    code: z
      .string()
      .nullable()
      .describe(
        "`error` of the provider's answer where it is a plain code, or our code for what failed; null otherwise.",
      ),
    is_withdrawn: z.boolean().describe("Whether the provider has taken it back, or had before."),
    at: timestamp.describe("When it was asked."),
  })
  .meta({ id: "WithdrawalAnswer", description: "What the provider answered to a withdrawal." });

const counts = z
  .strictObject({
    waiting: z.number().int().describe("That are not finished."),
    withdrawn: z.number().int().describe("Taken back by their providers."),
    partly_withdrawn: z.number().int().describe("Of which one of two tokens was taken back."),
    not_withdrawable: z.number().int().describe("That cannot be withdrawn here."),
    failed: z.number().int().describe("That providers did not take back."),
    gone: z.number().int().describe("Deleted before."),
    released: z.number().int().describe("That were released."),
  })
  .meta({ id: "RevocationCounts", description: "How many connections are in which state." });

const touched = z
  .strictObject({
    keys: z
      .array(
        z.strictObject({
          id: z.string().describe("Id of the API key."),
          connections: z
            .number()
            .int()
            .describe("How many of the connections it has used or read."),
          last_used_at: timestamp.describe("When it last did."),
        }),
      )
      .describe(
        "API keys that have used or read these connections; at most 100, those with the most first.",
      ),
    agent_sessions: z
      .array(
        z.strictObject({
          id: z.string().describe("Id of the agent's session."),
          connections: z.number().int().describe("How many of the connections it has used."),
          last_used_at: timestamp.describe("When it last did."),
        }),
      )
      .describe("Sessions of agents that have used them; at most 100."),
    agent_sessions_ended: z.number().int().describe("How many sessions of agents were ended."),
    connect_sessions_ended: z
      .number()
      .int()
      .describe("How many connect sessions that made or reconnect these connections were ended."),
  })
  .meta({
    id: "TouchedByRevocation",
    description:
      "Keys and sessions that touched the connections; sessions are ended only when that was asked for.",
  });

const revocation = z
  .strictObject({
    id: uuid.describe("Id of the revocation."),
    environment_id: uuid.describe("The environment, by which its public key is found."),
    rehearsal: z.boolean().describe("Whether nothing is frozen and nothing is sent."),
    state: z
      .enum(["freezing", "withdrawing", "done"])
      .describe(
        "`freezing`: connections are still being chosen and frozen. `withdrawing`: all are frozen, and providers are being asked. `done`: each connection has its report.",
      ),
    match: match.describe("Which connections are meant."),
    reason: z.string().nullable().describe("Why, as it was given."),
    matched: z.number().int().describe("How many connections have been found so far."),
    counts: counts.describe("How many of them are in which state."),
    touched: touched
      .nullable()
      .describe("Keys and sessions that touched them; null while `freezing`."),
    report: z
      .string()
      .nullable()
      .describe(
        "Signed summary (a JWS in compact form, EdDSA), with the counts and the hash over the reports of all connections; null before it is done.",
      ),
    created_at: timestamp.describe("When it began."),
    frozen_at: timestamp
      .nullable()
      .describe("When all were frozen; null before, and for a rehearsal until all are found."),
    ended_at: timestamp.nullable().describe("When it was done; null before."),
  })
  .meta({ id: "Revocation", description: "Freezing and withdrawing many connections at once." });

const item = z
  .strictObject({
    id: z.number().int().describe("The connection's `id`."),
    connection_id: z.string().describe("The connection."),
    provider_config_key: z.string().describe("Its integration."),
    provider: z.string().describe("Its provider."),
    state: itemState.describe("What has become of it."),
    reason: z
      .string()
      .nullable()
      .describe(
        "Why it is not withdrawn, such as `no_revocation_endpoint`, `credentials_unreadable`, `provider_error`, `provider_unreachable`; null otherwise.",
      ),
    attempts: z.number().int().describe("How often its provider was asked."),
    next_attempt_at: timestamp.nullable().describe("When it is asked next; null when it is not."),
    answers: z.array(answer).describe("What the provider answered last, one for each token."),
    frozen_at: timestamp.nullable().describe("When it was frozen; null for a rehearsal."),
    settled_at: timestamp.nullable().describe("When its state was final; null before."),
    report: z
      .string()
      .nullable()
      .describe("The signed report, a JWS in compact form (EdDSA); null while it waits."),
  })
  .meta({
    id: "RevokedConnection",
    description: "What a revocation has done with one connection.",
  });

const params = z.strictObject({ revocationId: uuid.describe("The revocation.") });
const one = {
  status: 200,
  schema: z.strictObject({ data: revocation.describe("The revocation.") }),
} as const;

const reportKeys = z.strictObject({
  keys: z
    .array(
      z
        .strictObject({
          kty: z.literal("OKP").describe("Kind of key (RFC 8037)."),
          crv: z.literal("Ed25519").describe("The curve of the key."),
          x: z.string().describe("The public key, base64url."),
          kid: z.string().describe("Thumbprint of the key (RFC 7638), as reports name it."),
          alg: z.literal("EdDSA").describe("Algorithm of the signatures."),
          use: z.literal("sig").describe("What the key is for."),
          retired_at: timestamp
            .nullable()
            .optional()
            .describe(
              "When another key took its place: it has signed no report since, but still verifies those before. Null for the key that signs now; absent in sets of earlier releases.",
            ),
        })
        .meta({ id: "ReportKey" }),
    )
    .describe(
      "The key that signs now, then retired keys, the last one first; empty before the first report.",
    ),
});

export const revocationRoutes = {
  startRevocation: defineRoute({
    method: "POST",
    path: "/revocations",
    summary: "Freeze connections at once, and withdraw their tokens at the providers",
    principals: ["environment"],
    scope: "environment:revocations:create",
    body: z
      .strictObject({
        match: match.describe("Which connections are meant, of those that there are now."),
        reason: z.string().min(1).max(500).optional().describe("Why; it is part of the reports."),
        rehearsal: z
          .boolean()
          .optional()
          .describe(
            "`true`: freeze nothing, send nothing, and report what would happen. Default `false`.",
          ),
        end_sessions: z
          .boolean()
          .optional()
          .describe(
            "`true`: also end the connect sessions and the sessions of agents that touched these connections. Default `false`.",
          ),
      })
      .meta({
        id: "NewRevocation",
        examples: [
          { match: { provider_config_key: "github" }, reason: "Laptop stolen", rehearsal: true },
        ],
      }),
    success: {
      status: 202,
      schema: z.strictObject({ data: revocation.describe("The revocation, which has begun.") }),
    },
    errors: ["step_up_required", { code: "unknown_provider_config", status: 400 }],
    idempotent: true,
  }),
  listRevocations: defineRoute({
    method: "GET",
    path: "/revocations",
    summary: "List revocations and rehearsals, newest first",
    principals: ["environment"],
    scope: "environment:revocations:read",
    query: z.strictObject(pageQuery("Revocations", { most: 100, usual: 50 })),
    success: {
      status: 200,
      schema: z.strictObject({
        data: z.array(revocation).describe("The revocations, newest first."),
        next_cursor: z.string().nullable().describe("For the next page; null on the last."),
      }),
    },
    errors: ["invalid_cursor"],
    idempotent: false,
  }),
  getRevocation: defineRoute({
    method: "GET",
    path: "/revocations/{revocationId}",
    summary: "Get how far a revocation is",
    principals: ["environment"],
    scope: "environment:revocations:read",
    params,
    success: one,
    errors: ["not_found"],
    idempotent: false,
  }),
  listRevokedConnections: defineRoute({
    method: "GET",
    path: "/revocations/{revocationId}/connections",
    summary: "List the connections of a revocation with their signed reports",
    principals: ["environment"],
    scope: "environment:revocations:read",
    params,
    query: z.strictObject({
      state: itemState.optional().describe("Only connections in this state."),
      ...pageQuery("Connections", { most: 500, usual: 100 }),
    }),
    success: {
      status: 200,
      schema: z.strictObject({
        data: z.array(item).describe("The connections, by their `id`."),
        next_cursor: z.string().nullable().describe("For the next page; null on the last."),
      }),
    },
    errors: ["not_found", "invalid_cursor"],
    idempotent: false,
  }),
  releaseRevocation: defineRoute({
    method: "POST",
    path: "/revocations/{revocationId}/release",
    summary: "Let the connections that were not withdrawn be used again",
    principals: ["environment"],
    scope: "environment:revocations:create",
    params,
    body: z
      .strictObject({
        ids: z
          .array(z.number().int().min(1))
          .min(1)
          .max(1000)
          .optional()
          .describe("Only connections with these `id`s; all that were not withdrawn unless sent."),
      })
      .meta({ id: "RevocationRelease" })
      .optional(),
    success: {
      status: 200,
      schema: z.strictObject({
        data: z
          .strictObject({
            released: z.number().int().describe("How many were released."),
            revocation: revocation.describe("The revocation, as it is now."),
          })
          .describe("What was released."),
      }),
    },
    errors: ["not_found", "conflict"],
    stepUp: "always",
    idempotent: true,
  }),
  getReportKeys: defineRoute({
    method: "GET",
    path: "/revocation-keys/{environmentId}",
    summary:
      "Get the public keys with which the reports of an environment are verified, as a JWK set",
    principals: ["public"],
    scope: "public",
    params: z.strictObject({ environmentId: uuid.describe("The environment.") }),
    success: { status: 200, schema: reportKeys },
    errors: [],
    idempotent: false,
  }),
  rotateReportKey: defineRoute({
    method: "POST",
    path: "/revocation-keys/rotate",
    summary: "Sign the reports of the environment with a new key from now on",
    principals: ["environment"],
    scope: "environment:revocations:create",
    success: { status: 200, schema: reportKeys },
    errors: ["resource_capped"],
    stepUp: "always",
    idempotent: true,
  }),
} as const;
