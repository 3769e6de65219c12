import * as z from "zod";
import { integrationKey, pageLimit, timestamp } from "../fields.ts";
import { defineRoute } from "../route.ts";

/** Rate limits of providers, as the server has learned them. */

const rankWait = z
  .strictObject({
    calls: z.number().int().describe("Calls that wait, in all processes."),
    longest_wait_ms: z
      .number()
      .int()
      .describe("How long the oldest of them has waited, in milliseconds; 0 when none waits."),
    estimated_wait_ms: z
      .number()
      .int()
      .describe("How long a new call is likely to wait, in milliseconds."),
  })
  .meta({ id: "RateLimitWait", description: "Calls of one rank that wait for a rate limit." });

const rateLimit = z
  .strictObject({
    scope: z
      .enum(["app", "connection"])
      .describe(
        "`app`: all connections of the integration share it. `connection`: one connection has it.",
      ),
    provider_config_key: z.string().describe("Key of the integration."),
    provider: z.string().describe("Its provider."),
    connection_id: z
      .string()
      .nullable()
      .describe("Id of the connection; null where all connections share the limit."),
    limit: z
      .number()
      .nullable()
      .describe(
        "Calls of a window: as the provider's headers say, or as counted up to its refusals. Null while it is not known.",
      ),
    remaining: z
      .number()
      .nullable()
      .describe(
        "Calls that are left, as far as the process that answers has learned. Null while it is not known.",
      ),
    resets_at: timestamp
      .nullable()
      .describe("When the window ends, or the provider takes calls again. Null if unknown."),
    is_used_up: z.boolean().describe("Whether the provider takes no calls until `resets_at`."),
    waiting: z
      .strictObject({
        people: rankWait.describe("Calls of your API keys and users, which are sent first."),
        actions: rankWait.describe("Calls of actions and agents."),
        syncs: rankWait.describe("Calls of syncs, of which at least one in ten is sent."),
      })
      .meta({ id: "RateLimitWaits" })
      .describe("Calls that wait, by their rank."),
    waiting_connections: z
      .array(
        z
          .strictObject({
            connection_id: z.string().describe("Id of the connection."),
            calls: z.number().int().describe("Calls of it that wait."),
          })
          .meta({
            id: "WaitingConnection",
            description: "A connection whose calls wait for a rate limit.",
          }),
      )
      .describe(
        "Connections with the most waiting calls in the process that answers, at most 10; they take turns.",
      ),
  })
  .meta({ id: "RateLimit", description: "A rate limit of a provider, as the server knows it." });

export const rateLimitRoutes = {
  listRateLimits: defineRoute({
    method: "GET",
    path: "/rate-limits",
    summary: "List the rate limits of providers: what was learned, what is left, who waits",
    principals: ["environment"],
    scope: "environment:connections:list",
    query: z.strictObject({
      provider_config_key: integrationKey
        .optional()
        .describe("Only rate limits of this integration."),
      limit: pageLimit("Rate limits", { most: 500, usual: 100 }),
    }),
    success: {
      status: 200,
      schema: z.strictObject({
        data: z
          .array(rateLimit)
          .describe(
            "Those that most calls wait for first, then those that are used up. Empty while no provider has said anything.",
          ),
      }),
    },
    errors: [],
    idempotent: false,
  }),
} as const;
