import * as z from "zod";
import { timestamp } from "./fields.ts";
import { deployedFunctions, deploymentPlan, flowConfig, onEventScripts } from "./functions.ts";
import { defineRoute } from "./route.ts";

/** A deployment of any size in several requests: staged in parts, then made as a whole. */

const sha256 = z.string().regex(/^[0-9a-f]{64}$/, "is a SHA-256 in lower-case hex");
const staged = z.strictObject({ id: z.uuid() });
const withoutFile = { fileBody: true, sourceMap: true } as const;

const stagedScript = onEventScripts.shape.scripts.element
  .omit(withoutFile)
  .extend({ bundle: sha256 });

const functionsPart = z.strictObject({
  /** As in `POST /sync/deploy`, with the hash of the bundle in place of its text. */
  flowConfigs: z.array(flowConfig.omit(withoutFile).extend({ bundle: sha256 })).default([]),
  onEventScriptsByProvider: z
    .array(onEventScripts.omit({ scripts: true }).extend({ scripts: z.array(stagedScript) }))
    .default([]),
});
export type StagedFunctionsPart = z.output<typeof functionsPart>;

const errors = ["staged_deployment_not_found", "request_too_large"] as const;
const common = {
  principals: ["environment"],
  scope: "environment:deploy",
  params: staged,
  bodyLimit: "deployment",
} as const;

export const stagedDeploymentRoutes = {
  stageDeployment: defineRoute({
    method: "POST",
    path: "/functions/deployments/staged",
    summary: "Begin a deployment that comes in several requests",
    principals: ["environment"],
    scope: "environment:deploy",
    body: z.strictObject({
      reconcile: z.boolean(),
      deployMode: z.enum(["all", "single", "integration"]).default("all"),
      source: z.enum(["repo", "standalone"]).default("repo"),
    }),
    success: { status: 200, schema: z.strictObject({ id: z.uuid(), expires_at: timestamp }) },
    errors: [],
    idempotent: true,
  }),
  stageFunctions: defineRoute({
    ...common,
    method: "POST",
    path: "/functions/deployments/staged/{id}/functions",
    summary: "Add functions to a staged deployment; answers which of their bundles are not here",
    body: functionsPart,
    success: { status: 200, schema: z.strictObject({ missing_bundles: z.array(sha256) }) },
    errors: [
      ...errors,
      { code: "unknown_provider_config", status: 400 },
      "deploy_missing_json_schema_model",
    ],
    idempotent: true,
  }),
  stageBundles: defineRoute({
    ...common,
    method: "POST",
    path: "/functions/deployments/staged/{id}/bundles",
    summary: "Add bundles to a staged deployment; answers their hashes",
    body: z.strictObject({
      bundles: z.array(
        z.strictObject({
          js: z.string().min(1),
          ts: z.string(),
          sourceMap: z.string().optional(),
        }),
      ),
    }),
    success: { status: 200, schema: z.strictObject({ bundles: z.array(sha256) }) },
    errors,
    idempotent: true,
  }),
  planStagedDeployment: defineRoute({
    ...common,
    method: "POST",
    path: "/functions/deployments/staged/{id}/plan",
    summary: "What a staged deployment would add, change and remove",
    body: z.strictObject({}).optional(),
    success: { status: 200, schema: deploymentPlan },
    errors: [...errors, { code: "unknown_provider_config", status: 400 }],
    idempotent: false,
  }),
  commitStagedDeployment: defineRoute({
    ...common,
    method: "POST",
    path: "/functions/deployments/staged/{id}/commit",
    summary: "Deploy what was staged, all or none of it",
    body: z.strictObject({}).optional(),
    success: { status: 200, schema: deployedFunctions },
    errors: [
      ...errors,
      { code: "unknown_provider_config", status: 400 },
      "concurrent_deployment",
      "staged_deployment_incomplete",
    ],
    idempotent: true,
  }),
} as const;
