import * as z from "zod";
import {
  connectionId,
  functionType,
  integrationKey,
  modelName,
  nextCursor,
  pageQuery,
  timestamp,
  uuid,
} from "../../fields.ts";
import { defineRoute } from "../../route.ts";

/** A deployment that some connections try before all others get it. */

const MOST_NAMED = 1000;
const MOST_MINUTES = 7 * 24 * 60;

const chosen = z
  .strictObject({
    percent: z
      .number()
      .gt(0)
      .max(100)
      .optional()
      .describe(
        "Share of the connections of each integration, at least one and at most 10,000 in all. The same connections are chosen each time.",
      )
      .meta({ examples: [5] }),
    connection_ids: z
      .array(connectionId)
      .min(1)
      .max(MOST_NAMED)
      .optional()
      .describe("These connections, of the integrations whose functions change."),
    tags: z
      .record(z.string().min(1).max(64), z.string().max(255))
      .optional()
      .describe('Connections that have all these tags, such as `{"ring": "early"}`.'),
  })
  .refine(
    (given) => Object.values(given).filter((value) => value !== undefined).length === 1,
    "must have one of percent, connection_ids and tags",
  )
  .meta({
    id: "CanaryConnections",
    description: "Which connections run the new version: one of the fields.",
  });

const factor = z.number().min(1).max(1000).nullable();

const limits = z
  .strictObject({
    failure_increase: z
      .number()
      .min(0)
      .max(1)
      .default(0.05)
      .describe("By how much the share of failed runs may exceed that of the old version."),
    slowdown: factor
      .default(2)
      .describe("How many times as long runs may take; null: as long as they like."),
    added_factor: factor
      .default(10)
      .describe("How many times as many records a run may add; null: any number."),
    updated_factor: factor
      .default(null)
      .describe(
        "How many times as many records a run may update; null: any number, since a new field updates all records once.",
      ),
    deleted_factor: factor
      .default(10)
      .describe("How many times as many records a run may delete; null: any number."),
    min_runs: z
      .number()
      .int()
      .min(1)
      .max(100_000)
      .default(10)
      .describe("Runs of the new version without which it is not promoted."),
  })
  .meta({
    id: "CanaryLimits",
    description: "How much worse than the old version the new one may be.",
  });

export type CanaryLimits = z.output<typeof limits>;

const settings = z.strictObject({
  connections: chosen.describe("Which connections run the new version."),
  minutes: z
    .number()
    .int()
    .min(1)
    .max(MOST_MINUTES)
    .default(60)
    .describe("How long it runs at least before it is promoted."),
  limits: limits
    .prefault({})
    .describe(
      "How much worse than the old version the new one may be; defaults for what is left out.",
    ),
});

export type CanarySettings = z.output<typeof settings>;

const perRun = z
  .strictObject({
    p50: z.number().int().nullable().describe("Median of a run; null without runs."),
    p95: z.number().int().nullable().describe("95th percentile of runs; null without runs."),
    total: z.number().int().describe("Sum of all runs."),
  })
  .meta({
    id: "CanaryMeasure",
    description: "Values of runs. Percentiles are upper bounds of classes 19 % wide.",
  });

const side = z
  .strictObject({
    runs: z.number().int().describe("Runs that ended, without cancelled ones."),
    failures: z
      .number()
      .int()
      .describe("Of these, runs that failed for another reason than credentials."),
    duration_ms: perRun.describe("Milliseconds of successful runs."),
    synced_runs: z.number().int().describe("Successful runs of syncs."),
    added: perRun.describe("Records that a successful run of a sync added."),
    updated: perRun.describe("Records that a successful run of a sync updated."),
    deleted: perRun.describe("Records that a successful run of a sync deleted."),
  })
  .meta({ id: "CanarySide", description: "How runs of one version ended." });

export type CanarySide = z.infer<typeof side>;

const verdict = z.enum(["good", "unclear", "worse"]).meta({
  id: "CanaryVerdict",
  description:
    "`worse`: beyond a limit, and by chance in less than 1 of 1,000 cases; `unclear`: beyond a limit, by chance in less than 1 of 20 cases; `good`: neither.",
});

const compared = z
  .strictObject({
    provider_config_key: integrationKey.describe("Integration of the function."),
    type: functionType.describe("Type of the function."),
    name: z.string().describe("Name of the function."),
    change: z
      .enum(["new", "updated"])
      .describe("`new` functions run for nobody before the promotion."),
    verdict: verdict.describe("What the comparison says of this function."),
    findings: z.array(z.string()).describe("What is beyond a limit, a sentence each."),
    canary: side.describe("The new version."),
    outside: side.describe("The old version, for all other connections, since the canary started."),
    before: side.describe(
      "The old version, for the chosen connections: the last 20 runs of each sync within 7 days before.",
    ),
  })
  .meta({ id: "ComparedFunction", description: "A function of a canary, with both versions." });

const canary = z
  .strictObject({
    id: uuid.describe("Id of the canary."),
    state: z
      .enum(["running", "promoted", "rolled_back"])
      .describe(
        "`running`: the chosen connections run the new version; `promoted`: all do; `rolled_back`: none.",
      ),
    connections: chosen.describe("Which connections were asked for."),
    chosen_connections: z.number().int().describe("How many connections were chosen."),
    minutes: z.number().int().describe("How long it runs at least before it is promoted."),
    limits: limits.describe("How much worse than the old version the new one may be."),
    removes: z
      .strictObject({
        functions: z
          .number()
          .int()
          .describe("Functions that the promotion removes; they run until then."),
        models: z.array(modelName).describe("Models that no sync writes after the promotion."),
      })
      .describe("What the promotion takes away."),
    verdict: verdict.describe("The worst verdict of its functions."),
    runs: z.number().int().describe("Runs of the new version so far."),
    message: z.string().describe("What happens next, or why it ended, for people."),
    started_at: timestamp.describe("When it started."),
    started_by: z.string().describe("Name of the key or user that started it, or its kind."),
    ends_at: timestamp.describe("When it is promoted if nothing is beyond a limit."),
    ended_at: timestamp.nullable().describe("When it ended; null while it runs."),
    by_itself: z
      .boolean()
      .nullable()
      .describe("Whether it ended by itself, within its limits; null while it runs."),
    deployment_id: uuid
      .nullable()
      .describe("The deployment that the promotion made; null without one."),
  })
  .meta({ id: "Canary", description: "A deployment that some connections try first." });

const canaryWithFunctions = canary
  .extend({
    functions: z
      .array(compared)
      .describe("The first 200 of its functions, those beyond a limit first."),
  })
  .meta({
    id: "CanaryWithFunctions",
    description: "A canary with both versions of its functions.",
  });

export type PresentedCanary = z.infer<typeof canaryWithFunctions>;

const one = {
  principals: ["environment"],
  params: z.strictObject({ canaryId: uuid.describe("The canary.") }),
} as const;
const answer = {
  status: 200,
  schema: z.strictObject({ data: canaryWithFunctions.describe("The canary.") }),
} as const;

export const canaryRoutes = {
  startCanary: defineRoute({
    method: "POST",
    path: "/functions/deployments/staged/{id}/canary",
    summary:
      "Start a canary: some connections run what was staged, and all others if it is no worse",
    principals: ["environment"],
    scope: "environment:deploy",
    params: z.strictObject({
      id: uuid.describe("Staged deployment, by the id that its beginning answered."),
    }),
    body: settings,
    success: answer,
    errors: [
      "staged_deployment_not_found",
      "staged_deployment_incomplete",
      { code: "unknown_provider_config", status: 400 },
      "concurrent_deployment",
      "canary_running",
      "canary_not_possible",
    ],
    idempotent: true,
  }),
  listCanaries: defineRoute({
    method: "GET",
    path: "/canaries",
    summary: "List the last 100 canaries, newest first",
    principals: ["environment"],
    scope: ["environment:functions:list", "environment:deploy"],
    query: z.strictObject(pageQuery("Canaries", { most: 100, usual: 20 })),
    success: {
      status: 200,
      schema: z.strictObject({
        data: z.array(canary).describe("The page of canaries, newest first."),
        next_cursor: nextCursor,
      }),
    },
    errors: ["invalid_cursor"],
    idempotent: false,
  }),
  getCanary: defineRoute({
    ...one,
    method: "GET",
    path: "/canaries/{canaryId}",
    summary: "Get a canary with the runs of both versions",
    scope: ["environment:functions:list", "environment:deploy"],
    success: answer,
    errors: ["canary_not_found"],
    idempotent: false,
  }),
  promoteCanary: defineRoute({
    ...one,
    method: "POST",
    path: "/canaries/{canaryId}/promote",
    summary: "Promote a canary now: all connections get its version",
    scope: "environment:deploy",
    success: answer,
    errors: ["canary_not_found", "canary_ended", "canary_not_possible", "concurrent_deployment"],
    idempotent: true,
  }),
  rollBackCanary: defineRoute({
    ...one,
    method: "POST",
    path: "/canaries/{canaryId}/rollback",
    summary: "Roll back a canary now: the chosen connections return to the deployed version",
    scope: "environment:deploy",
    success: answer,
    errors: ["canary_not_found", "canary_ended"],
    idempotent: true,
  }),
} as const;
