import * as z from "zod";
import { functionType, modelName, timestamp } from "../fields.ts";

/** What a deployment would change. */

const planned = z.strictObject({
  name: z.string().describe("Name of the function."),
  providerConfigKey: z.string().describe("Key of its integration."),
  connections: z
    .number()
    .int()
    .describe("Connections of that integration, for which the change takes effect."),
});

const impact = z.strictObject({
  type: functionType.describe("Type of the function."),
  name: z.string().describe("Name of the function."),
  providerConfigKey: z.string().describe("Key of its integration."),
  effect: z
    .enum(["new", "compatible", "breaking", "removed"])
    .describe(
      "`breaking`: something that callers send or read now may fail; `compatible`: nothing does; `new` and `removed`: the function itself.",
    ),
  connections: z.number().int().describe("Connections of its integration."),
  runs_24h: z
    .number()
    .int()
    .describe("How often it ran in the last 24 hours; 0 for a new function."),
  consumers: z
    .array(
      z
        .strictObject({
          kind: z
            .enum(["key", "user", "toolset", "function", "webhook"])
            .describe(
              "An API key, a user, agents of a toolset, or another function that calls the action or reads the models; `webhook`: an address that is notified of runs of the sync.",
            ),
          id: z.string().nullable().describe("Id of the key or the user; null for others."),
          name: z
            .string()
            .nullable()
            .describe(
              "Name of the consumer, of a webhook the origin of its address; null for one that was deleted, or those for whom there was no room.",
            ),
          uses: z
            .number()
            .int()
            .nullable()
            .describe("Calls and reads in the last 30 days; null for a webhook."),
          last_used_at: timestamp.nullable().describe("The last of them; null for a webhook."),
        })
        .meta({ id: "FunctionConsumer", description: "One who is affected by a change." }),
    )
    .describe(
      "Who has called the action or read the models of the sync in the last 30 days, at most 20, and webhooks; none of a new function.",
    ),
  parts: z
    .array(
      z.strictObject({
        part: z
          .enum([
            ...[
              "input",
              "output",
              "models",
              "metadata",
              "scopes",
              "schedule",
              "deletes",
              "records",
            ],
            ...["webhooks", "endpoints", "event", "agent", "egress", "code", "more"],
          ] as const)
          .describe("What of it changes."),
        effect: z
          .enum(["breaking", "compatible"])
          .describe("Whether callers or readers may fail by it."),
        message: z.string().describe("The change, in a sentence."),
        widens: z
          .literal(true)
          .optional()
          .describe(
            "`true`: the function may send to hosts that it could not reach before, or reads credentials that it did not see. Absent otherwise.",
          ),
      }),
    )
    .describe(
      "What changes, breaking changes first, 50 at most; of a new function only its `egress`, of a removed one none.",
    ),
});

export type PlannedImpact = z.infer<typeof impact>;

export const planQuery = z.strictObject({
  details: z
    .enum(["true", "false"])
    .optional()
    .describe(
      "`true`: with `impact`, the changes of each function and whether they break callers. Default: `false`.",
    ),
});

export const deploymentPlan = z
  .strictObject({
    newSyncs: z.array(planned).describe("Syncs that are new."),
    updatedSyncs: z.array(planned).describe("Syncs that changed."),
    deletedSyncs: z
      .array(planned)
      .describe("Syncs that would be removed, with their records, if the deployment reconciles."),
    newActions: z.array(planned).describe("Actions that are new."),
    updatedActions: z.array(planned).describe("Actions that changed."),
    deletedActions: z
      .array(planned)
      .describe("Actions that would be removed if the deployment reconciles."),
    newOnEventScripts: z.array(planned).describe("On-event functions that are new."),
    updatedOnEventScripts: z.array(planned).describe("On-event functions that changed."),
    deletedOnEventScripts: z
      .array(planned)
      .describe("On-event functions that would be removed if the deployment reconciles."),
    deletedModels: z
      .array(modelName)
      .describe("Models that no sync would write any more; their records are deleted."),
    warnings: z
      .array(z.string())
      .optional()
      .describe(
        "What would be deployed and can never take effect, or may send to more hosts than before, a sentence each; absent where there is nothing to say.",
      ),
    impact: z
      .array(impact)
      .optional()
      .describe(
        "With `details=true`: one for each function that changes, breaking ones first, then removed, compatible and new ones.",
      ),
  })
  .meta({ id: "DeploymentPlan", description: "What a deployment would change." });

export type DeploymentPlan = z.infer<typeof deploymentPlan>;
