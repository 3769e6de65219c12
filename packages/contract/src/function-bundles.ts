import * as z from "zod";
import { functionName, integrationKey, jsonObject } from "./fields.ts";
import { defineRoute } from "./route.ts";

/** Functions that were compiled elsewhere, deployed as one bundle. */

const trigger = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("none") }),
  z.strictObject({
    kind: z.literal("schedule"),
    frequency: z.string().min(1).max(255),
    autoStart: z.boolean().optional(),
  }),
  z.strictObject({ kind: z.literal("http") }).loose(),
  z.strictObject({ kind: z.literal("event"), events: z.array(z.string().max(255)).max(10) }),
]);

const schemaRef = z
  .string()
  .regex(/^#\/definitions\/.{1,255}$/, "is `#/definitions/<name>`")
  .nullable()
  .optional();

const artifact = z.strictObject({
  name: functionName,
  integrationId: integrationKey,
  description: z.string().max(2000).optional(),
  version: z.string().max(255).optional(),
  trigger,
  requires: jsonObject.optional(),
  capabilities: jsonObject.optional(),
  limits: jsonObject.optional(),
  input_schema_ref: schemaRef,
  output_schema_ref: schemaRef,
  model_schema_refs: z.array(z.string().regex(/^#\/definitions\/.{1,255}$/)).optional(),
  metadata_schema_ref: schemaRef,
  checkpoint_schema_ref: schemaRef,
  json_schema: z
    .strictObject({ definitions: z.record(z.string(), jsonObject).optional() })
    .loose()
    .optional(),
  fileBody: z.strictObject({ js: z.string().min(1), ts: z.string() }),
});

export const functionBundle = z.strictObject({
  reconciliationScope: z.discriminatedUnion("kind", [
    z.strictObject({ kind: z.literal("environment") }),
    z.strictObject({ kind: z.literal("integration"), integrationId: integrationKey }),
  ]),
  functions: z.array(artifact).max(1000),
});

export type FunctionBundle = z.output<typeof functionBundle>;

const named = z.array(z.strictObject({ integrationId: z.string(), name: z.string() }));
const bundleChanges = z.strictObject({
  created: named,
  updated: named,
  unchanged: named,
  deleted: named,
});

export type BundleChanges = z.input<typeof bundleChanges>;

export const functionBundleRoutes = {
  deployBundle: defineRoute({
    method: "POST",
    path: "/functions/deployments/bundle",
    summary:
      "Deploy compiled functions, all or none; those of the scope that are left out are removed",
    principals: ["environment"],
    scope: "environment:deploy",
    body: functionBundle,
    bodyLimit: "deployment",
    success: { status: 200, schema: bundleChanges },
    errors: [
      { code: "integration_not_found", status: 400 },
      "validation_error",
      "concurrent_deployment",
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
