import * as z from "zod";
import { providerName } from "../fields.ts";
import { defineRoute } from "../route.ts";

/** What happens between a provider and a connection, in its order. Source: issue "The catalogue". */
export const connectStages = [
  /** The end user is sent to the provider. */
  "authorization",
  /** The provider sends the end user back. */
  "callback",
  /** Credentials are asked for with what the callback or the end user brought. */
  "token",
  /** The entry's requests for what the connection needs next to its credentials. */
  "after_connect",
  /** The entry's request that tries credentials which were typed or imported. */
  "verification",
  "refresh",
  "revocation",
] as const;

export type ConnectStage = (typeof connectStages)[number];

const stage = z.enum(connectStages).meta({
  id: "ConnectStage",
  description:
    "A stage of connecting: `authorization` (the end user goes to the provider), `callback` (the provider sends the end user back), `token` (credentials are requested), `after_connect` (requests that complete the connection), `verification` (credentials are tried), `refresh`, `revocation`.",
});

/** What the provider answered last: its status, and the start of its body without what may be secret. */
const upstream = z
  .strictObject({
    status: z.number().int().describe("HTTP status of the answer."),
    body: z.string().describe("Start of the body, with everything that may be secret removed."),
  })
  .meta({ id: "UpstreamAnswer", description: "What the provider answered." });

/** Where a connection failed; `upstream` is left out where no answer came. */
export const stageFields = {
  stage: stage
    .optional()
    .describe(
      "Stage that failed. Present only with `include=error_details`, and only if it is known.",
    ),
  upstream: upstream
    .optional()
    .describe(
      "The provider's answer that made the stage fail. Present only with `include=error_details`, and only if an answer came.",
    ),
};

const day = z.iso.date();

export const connectStageRoutes = {
  listProviderStages: defineRoute({
    method: "GET",
    path: "/provider-stages",
    summary: "Count how often each stage of connecting to a provider succeeded and failed, by day",
    principals: ["environment"],
    scope: "environment:providers:read",
    query: z.strictObject({
      provider: providerName.optional().describe("Only this provider."),
      from: day.optional().meta({
        description:
          "First day (UTC, `YYYY-MM-DD`). Default: the first of the 30 days that are kept.",
        examples: ["2026-01-01"],
      }),
      to: day.optional().meta({
        description: "Last day (UTC, `YYYY-MM-DD`), included. Default: today.",
        examples: ["2026-01-31"],
      }),
    }),
    success: {
      status: 200,
      schema: z.strictObject({
        data: z
          .array(
            z
              .strictObject({
                day: day.meta({
                  description: "The day in UTC, `YYYY-MM-DD`.",
                  examples: ["2026-01-31"],
                }),
                provider: z
                  .string()
                  .meta({ description: "Id of the provider.", examples: ["github"] }),
                stage: stage.describe("The stage that is counted."),
                succeeded: z.number().int().min(0).describe("How often it succeeded on that day."),
                failed: z.number().int().min(0).describe("How often it failed on that day."),
              })
              .meta({
                id: "StageCount",
                description: "How often a stage succeeded and failed on a day.",
              }),
          )
          .describe(
            "Counts by day, provider and stage, newest day first. A stage without a count on a day is omitted.",
          ),
      }),
    },
    errors: [],
    idempotent: false,
  }),
} as const;
