import * as z from "zod";
import { functionName, integrationKey, jsonObject, modelName, timestamp } from "./fields.ts";
import { defineRoute } from "./route.ts";

/** Deployment of functions. */

const endpoint = z.strictObject({
  method: z.enum(["GET", "POST", "PUT", "PATCH", "DELETE"]),
  path: z.string().min(1).max(1024),
  group: z.string().max(255).nullable().optional(),
});

export const flowConfig = z.strictObject({
  type: z.enum(["sync", "action"]),
  syncName: functionName,
  providerConfigKey: integrationKey,
  models: z.array(z.string().min(1).max(255)),
  /** How often a sync runs, such as `every 5 minutes`; null for actions. */
  runs: z.string().max(255).nullable(),
  auto_start: z.boolean().default(false),
  track_deletes: z.boolean().default(false),
  sync_type: z.enum(["incremental", "full"]).optional(),
  version: z.string().max(255).optional(),
  /** Name of the input schema (actions) or metadata schema (syncs) in `models_json_schema`. */
  input: z.string().max(255).optional(),
  metadata: z
    .strictObject({
      description: z.string().max(2000).optional(),
      scopes: z.array(z.string()).optional(),
    })
    .default({}),
  endpoints: z.array(endpoint).default([]),
  webhookSubscriptions: z.array(z.string().min(1).max(255)).default([]),
  attributes: jsonObject.default({}),
  models_json_schema: z.strictObject({ definitions: z.record(z.string(), jsonObject) }).optional(),
  features: z.array(z.string()).default([]),
  fileBody: z.strictObject({ js: z.string().min(1), ts: z.string() }),
  /** Source map of `fileBody.js`, to show positions in the author's files. */
  sourceMap: z.string().optional(),
});

export type FlowConfig = z.output<typeof flowConfig>;

export const onEventScripts = z.strictObject({
  providerConfigKey: integrationKey,
  scripts: z.array(
    z.strictObject({
      name: functionName,
      event: z.enum(["post-connection-creation", "pre-connection-deletion", "validate-connection"]),
      fileBody: z.strictObject({ js: z.string().min(1), ts: z.string() }),
      sourceMap: z.string().optional(),
    }),
  ),
});

export const deployment = z.strictObject({
  flowConfigs: z.array(flowConfig),
  onEventScriptsByProvider: z.array(onEventScripts).default([]),
  /** Whether functions that are deployed and not in this upload are removed, within `deployMode`. */
  reconcile: z.boolean(),
  debug: z.boolean().default(false),
  deployMode: z.enum(["all", "single", "integration"]).default("all"),
  sdkVersion: z.string().max(255).optional(),
  source: z.enum(["repo", "standalone"]).default("repo"),
  /** Accepted for the command line of the compatible platform, which sends it empty. */
  svcYamlBody: z.string().max(1_000_000).optional(),
});

export type Deployment = z.output<typeof deployment>;

const planned = z.strictObject({
  name: z.string(),
  providerConfigKey: z.string(),
  connections: z.number().int(),
});

export const deploymentPlan = z.strictObject({
  newSyncs: z.array(planned),
  updatedSyncs: z.array(planned),
  deletedSyncs: z.array(planned),
  newActions: z.array(planned),
  updatedActions: z.array(planned),
  deletedActions: z.array(planned),
  newOnEventScripts: z.array(planned),
  updatedOnEventScripts: z.array(planned),
  deletedOnEventScripts: z.array(planned),
  deletedModels: z.array(modelName),
  /** What would be deployed and can never take effect, in words; left out where there is nothing to say. */
  warnings: z.array(z.string()).optional(),
});

export type DeploymentPlan = z.infer<typeof deploymentPlan>;

export const deployedFunctions = z.array(
  z.strictObject({
    id: z.number().int(),
    name: z.string(),
    version: z.string(),
    providerConfigKey: z.string(),
    type: z.enum(["sync", "action", "on-event"]),
    last_deployed: timestamp,
    input: z.string().nullable(),
    models: z.array(z.string()),
    runs: z.string().nullable(),
  }),
);

export const functionRoutes = {
  deployFunctions: defineRoute({
    method: "POST",
    path: "/sync/deploy",
    summary: "Deploy functions, all or none of them",
    principals: ["environment"],
    scope: "environment:deploy",
    body: deployment,
    bodyLimit: "deployment",
    success: { status: 200, schema: deployedFunctions },
    errors: [
      { code: "unknown_provider_config", status: 400 },
      "deploy_missing_json_schema_model",
      "concurrent_deployment",
    ],
    idempotent: true,
  }),
  planDeployment: defineRoute({
    method: "POST",
    path: "/sync/deploy/confirmation",
    summary: "What a deployment would add, change and remove",
    principals: ["environment"],
    scope: "environment:deploy",
    body: deployment,
    bodyLimit: "deployment",
    success: { status: 200, schema: deploymentPlan },
    errors: [{ code: "unknown_provider_config", status: 400 }, "deploy_missing_json_schema_model"],
    idempotent: false,
  }),
} as const;
