import * as z from "zod";
import { timestamp, uuid } from "../fields.ts";
import { defineRoute } from "../route.ts";
import { deploymentPlan, planQuery } from "./deployment-plan.ts";
import { revisionHeaders } from "./deployments/revision-headers.ts";
import { deployedFunctions, flowConfig, onEventScripts } from "./functions.ts";

/** A deployment of any size in several requests: staged in parts, then made as a whole. */

const sha256 = z
  .string()
  .regex(/^[0-9a-f]{64}$/, "is a SHA-256 in lower-case hex")
  .meta({
    id: "Sha256",
    description: "A SHA-256 hash in lower-case hexadecimal.",
    examples: ["e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"],
  });
const staged = z.strictObject({
  id: uuid.describe("Staged deployment, by the id that its beginning answered."),
});
const withoutFile = { fileBody: true, sourceMap: true } as const;

const stagedScript = onEventScripts.shape.scripts.element.omit(withoutFile).extend({
  bundle: sha256.describe("Hash of the function's bundle, by which it is sent or already known."),
});

const functionsPart = z
  .strictObject({
    flowConfigs: z
      .array(
        flowConfig.omit(withoutFile).extend({
          bundle: sha256.describe(
            "Hash of the function's bundle, by which it is sent or already known.",
          ),
        }),
      )
      .default([])
      .describe("Syncs and actions."),
    onEventScriptsByProvider: z
      .array(
        onEventScripts
          .omit({ scripts: true })
          .extend({ scripts: z.array(stagedScript).describe("The functions.") }),
      )
      .default([])
      .describe("On-event functions, by integration."),
  })
  .meta({
    id: "StagedFunctions",
    description:
      "Functions as in `POST /sync/deploy`, with the hash of each bundle instead of its text.",
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
      reconcile: z.boolean().meta({
        description:
          "Whether deployed functions that are not in the deployment are removed, within `deployMode`.",
        examples: [false],
      }),
      deployMode: z
        .enum(["all", "single", "integration"])
        .default("all")
        .describe(
          "How far `reconcile` reaches: `all` of the environment, the integrations in the deployment (`integration`), or nothing (`single`).",
        ),
      source: z
        .enum(["repo", "standalone"])
        .default("repo")
        .describe("`repo`: a project; `standalone`: individual functions."),
    }),
    success: {
      status: 200,
      schema: z.strictObject({
        id: uuid.describe("Id of the staged deployment."),
        expires_at: timestamp.describe("When it is forgotten unless it was committed."),
      }),
    },
    errors: [],
    idempotent: true,
  }),
  stageFunctions: defineRoute({
    ...common,
    method: "POST",
    path: "/functions/deployments/staged/{id}/functions",
    summary: "Add functions to a staged deployment; answers which of their bundles are not here",
    body: functionsPart,
    success: {
      status: 200,
      schema: z.strictObject({
        missing_bundles: z.array(sha256).describe("Hashes of the bundles that have to be sent."),
      }),
    },
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
      bundles: z
        .array(
          z.strictObject({
            js: z.string().min(1).describe("The bundle, as CommonJS."),
            ts: z.string().describe("The author's TypeScript source."),
            sourceMap: z
              .string()
              .optional()
              .describe(
                "Source map of the bundle; with it, errors show positions in the author's files.",
              ),
          }),
        )
        .describe("The bundles."),
    }),
    success: {
      status: 200,
      schema: z.strictObject({
        bundles: z
          .array(sha256)
          .describe("Hashes of the bundles, in the order in which they were sent."),
      }),
    },
    errors,
    idempotent: true,
  }),
  planStagedDeployment: defineRoute({
    ...common,
    method: "POST",
    path: "/functions/deployments/staged/{id}/plan",
    summary: "What a staged deployment would add, change and remove",
    query: planQuery,
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
    headers: revisionHeaders,
    body: z.strictObject({}).optional(),
    success: { status: 200, schema: deployedFunctions },
    errors: [
      ...errors,
      { code: "unknown_provider_config", status: 400 },
      "concurrent_deployment",
      "canary_running",
      "staged_deployment_incomplete",
    ],
    idempotent: true,
  }),
} as const;
