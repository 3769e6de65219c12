import * as z from "zod";
import { functionName, integrationKey, jsonObject } from "../fields.ts";
import { defineRoute } from "../route.ts";

/** Functions that were compiled elsewhere, deployed as one bundle. */

const trigger = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z
      .literal("none")
      .describe(
        "What runs the function: `none` (an action, on demand), `schedule` (a sync), `event` (an on-event function); `http` is refused with `validation_error`.",
      ),
  }),
  z.strictObject({
    kind: z
      .literal("schedule")
      .describe(
        "What runs the function: `none` (an action, on demand), `schedule` (a sync), `event` (an on-event function); `http` is refused with `validation_error`.",
      ),
    frequency: z
      .string()
      .min(1)
      .max(255)
      .describe("How often the sync runs, such as `every 5 minutes`; at least 30 seconds apart."),
    autoStart: z
      .boolean()
      .optional()
      .describe("Whether the sync starts automatically for a new connection."),
  }),
  z
    .strictObject({
      kind: z
        .literal("http")
        .describe(
          "What runs the function: `none` (an action, on demand), `schedule` (a sync), `event` (an on-event function); `http` is refused with `validation_error`.",
        ),
    })
    .loose(),
  z.strictObject({
    kind: z
      .literal("event")
      .describe(
        "What runs the function: `none` (an action, on demand), `schedule` (a sync), `event` (an on-event function); `http` is refused with `validation_error`.",
      ),
    events: z
      .array(z.string().max(255))
      .max(10)
      .describe(
        "The event that the function reacts to, exactly one: `post-connection-creation`, `pre-connection-deletion` or `validate-connection`.",
      ),
  }),
]);

const schemaRef = z
  .string()
  .regex(/^#\/definitions\/.{1,255}$/, "is `#/definitions/<name>`")
  .nullable()
  .optional();

const artifact = z
  .strictObject({
    name: functionName.describe("Name of the function."),
    integrationId: integrationKey.describe("Integration that it belongs to."),
    description: z.string().max(2000).optional().describe("What it does, up to 2,000 characters."),
    version: z.string().max(255).optional().describe("A version of your own naming."),
    trigger: trigger.describe("What runs it."),
    requires: jsonObject
      .optional()
      .describe("What it needs, such as a connection. Accepted, and not evaluated."),
    capabilities: jsonObject
      .optional()
      .describe(
        "Features of the runtime that it uses. `usesCheckpoints` must agree with `checkpoint_schema_ref`; the others are not evaluated.",
      ),
    limits: jsonObject
      .optional()
      .describe("Limits that its author sets. Accepted, and not evaluated."),
    input_schema_ref: schemaRef.meta({
      description:
        "Reference to the input's schema in `json_schema`; null or absent if there is none.",
      examples: ["#/definitions/Input"],
    }),
    output_schema_ref: schemaRef.describe(
      "Reference to the output's schema in `json_schema`; null or absent if there is none.",
    ),
    model_schema_refs: z
      .array(z.string().regex(/^#\/definitions\/.{1,255}$/))
      .optional()
      .describe("References to the schemas of the models that a sync writes."),
    metadata_schema_ref: schemaRef.describe(
      "Reference to the schema of the connection's metadata; null or absent if there is none.",
    ),
    checkpoint_schema_ref: schemaRef.describe(
      "Reference to the schema of the checkpoint; null or absent if there is none.",
    ),
    json_schema: z
      .strictObject({
        definitions: z.record(z.string(), jsonObject).optional().describe("The schemas by name."),
      })
      .loose()
      .optional()
      .describe("The schemas that the references name, as JSON Schema."),
    fileBody: z
      .strictObject({
        js: z.string().min(1).describe("The bundle, as CommonJS."),
        ts: z.string().describe("The author's TypeScript source."),
      })
      .describe("The function as text."),
  })
  .meta({ id: "FunctionArtifact", description: "A compiled function." });

export const functionBundle = z
  .strictObject({
    reconciliationScope: z
      .discriminatedUnion("kind", [
        z.strictObject({
          kind: z
            .literal("environment")
            .describe(
              "`environment`: in the whole environment; `integration`: in one integration.",
            ),
        }),
        z.strictObject({
          kind: z
            .literal("integration")
            .describe(
              "`environment`: in the whole environment; `integration`: in one integration.",
            ),
          integrationId: integrationKey.describe("The integration."),
        }),
      ])
      .describe("Where functions that are not in the bundle are removed."),
    functions: z
      .array(artifact)
      .max(1000)
      .meta({
        description:
          "The functions, at most 1,000. Every function of the scope that is missing here is removed.",
        examples: [["<functions>"]],
      }),
  })
  .meta({ id: "FunctionBundle", description: "Compiled functions, deployed as a whole." });

export type FunctionBundle = z.output<typeof functionBundle>;

const named = z.array(
  z.strictObject({
    integrationId: z.string().describe("Key of the function's integration."),
    name: z.string().describe("Name of the function."),
  }),
);
const bundleChanges = z
  .strictObject({
    created: named.describe("Functions that are new."),
    updated: named.describe("Functions that changed."),
    unchanged: named.describe("Functions that stay as they are."),
    deleted: named.describe("Functions of the scope that are not in the bundle."),
  })
  .meta({ id: "BundleChanges", description: "What a deployment adds, changes and removes." });

export type BundleChanges = z.input<typeof bundleChanges>;

export const functionBundleRoutes = {
  deployBundle: defineRoute({
    method: "POST",
    path: "/functions/deployments/bundle",
    summary:
      "Deploy compiled functions, all or none; those of the scope that are omitted are removed",
    principals: ["environment"],
    scope: "environment:deploy",
    body: functionBundle,
    bodyLimit: "deployment",
    success: { status: 200, schema: bundleChanges },
    errors: [
      { code: "integration_not_found", status: 400 },
      "validation_error",
      "concurrent_deployment",
      "canary_running",
      "deploy_missing_json_schema_model",
    ],
    idempotent: true,
  }),
  previewBundle: defineRoute({
    method: "POST",
    path: "/functions/deployments/bundle/preview",
    summary: "What a deployment of compiled functions would add, change and remove",
    principals: ["environment"],
    scope: "environment:deploy",
    body: functionBundle,
    bodyLimit: "deployment",
    success: { status: 200, schema: bundleChanges },
    errors: [
      { code: "integration_not_found", status: 400 },
      "validation_error",
      "deploy_missing_json_schema_model",
    ],
    idempotent: false,
  }),
} as const;
