import * as z from "zod";
import {
  connectionId,
  functionName,
  integrationKey,
  jsonObject,
  timestamp,
  wholeNumber,
} from "./fields.ts";
import { defineRoute } from "./route.ts";

/** Source text sent to the server: compiled, run without a trace, or deployed. */

/** Limit of a compiler's time and memory; larger functions are deployed with the CLI. */
export const MAX_SENT_CODE = 256 * 1024;
const code = z.string().min(1).max(MAX_SENT_CODE);

const functionType = z.enum(["sync", "action", "on-event"]);
const status = z.enum(["waiting", "running", "success", "failed"]);
const jobError = z.strictObject({
  code: z.string(),
  message: z.string(),
  payload: z.unknown().optional(),
});

const created = z.strictObject({ id: z.uuid(), status, created_at: timestamp });
const createdDryRun = z.strictObject({ id: z.uuid(), created_at: timestamp });

const job = {
  id: z.uuid(),
  status,
  integration_id: z.string(),
  created_at: timestamp,
  updated_at: timestamp,
  started_at: timestamp.optional(),
  completed_at: timestamp.optional(),
  duration_ms: z.number().int().min(0).optional(),
  output: z.string().optional(),
  error: jobError.optional(),
};

const dryRun = z.strictObject({
  ...job,
  /** How it is run; an on-event function like an action. */
  function_type: z.enum(["action", "sync"]),
  /** What the source creates. */
  source_type: functionType,
  result: z.unknown().optional(),
});

const deploymentJob = z.strictObject({
  ...job,
  function_name: z.string(),
  function_type: functionType,
  deployed: z.boolean().optional(),
  deployed_functions: z.array(z.strictObject({ name: z.string(), version: z.string() })).optional(),
});

const checkpoint = z.record(
  z.string().min(1).max(255),
  z.union([z.string().max(4000), z.number(), z.boolean()]),
);

const jobId = z.strictObject({ id: z.uuid() });

export const functionJobRoutes = {
  compileFunction: defineRoute({
    method: "POST",
    path: "/functions/compile",
    summary: "Compile a function's source as it would be deployed",
    principals: ["environment"],
    scope: "environment:functions:compile",
    body: z.strictObject({ code }),
    success: {
      status: 200,
      schema: z.strictObject({
        bundle_size_bytes: z.number().int(),
        bundled_js: z.string(),
        compiled_at: timestamp,
      }),
    },
    errors: ["compilation_error", "execution_environment_unavailable", "overloaded"],
    idempotent: false,
  }),
  createDryRun: defineRoute({
    method: "POST",
    path: "/functions/dryruns",
    summary: "Run a function's source against a connection without deploying it or saving records",
    principals: ["environment"],
    scope: "environment:functions:dryrun",
    body: z.strictObject({
      integration_id: integrationKey,
      connection_id: connectionId,
      code,
      /** Found out from the code unless given. */
      function_type: functionType.optional(),
      input: z.unknown().optional(),
      metadata: jsonObject.optional(),
      checkpoint: checkpoint.optional(),
      last_sync_date: timestamp.optional(),
    }),
    bodyLimit: "action",
    success: { status: 200, schema: createdDryRun },
    errors: ["integration_not_found", "connection_not_found"],
    idempotent: true,
  }),
  getDryRun: defineRoute({
    method: "GET",
    path: "/functions/dryruns/{id}",
    summary: "How a dry run stands, and what came of it",
    principals: ["environment"],
    scope: "environment:functions:dryrun",
    params: jobId,
    success: { status: 200, schema: dryRun },
    errors: ["dryrun_not_found"],
    idempotent: false,
  }),
  createDeployment: defineRoute({
    method: "POST",
    path: "/functions/deployments",
    summary: "Compile and deploy one function from its source",
    principals: ["environment"],
    scope: "environment:deploy",
    body: z.strictObject({
      type: z.literal("function"),
      integration_id: integrationKey,
      function_name: functionName,
      function_type: functionType,
      code,
      version: z.string().min(1).max(255).optional(),
      /** Without it, a deployment that takes a model with records away is refused. */
      allow_destructive: z.boolean().default(false),
    }),
    success: { status: 202, schema: created },
    errors: ["integration_not_found", "invalid_request"],
    idempotent: true,
  }),
  getDeployment: defineRoute({
    method: "GET",
    path: "/functions/deployments/{id}",
    summary: "How a deployment from source stands, and what came of it",
    principals: ["environment"],
    scope: "environment:deploy",
    params: jobId,
    success: { status: 200, schema: deploymentJob },
    errors: ["deployment_not_found"],
    idempotent: false,
  }),
  listDeployments: defineRoute({
    method: "GET",
    path: "/functions/deployments",
    summary: "List deployments from source, newest first",
    principals: ["environment"],
    scope: "environment:deploy",
    query: z.strictObject({
      page: wholeNumber({ min: 0, max: 1_000_000 }).optional(),
      limit: wholeNumber({ min: 1, max: 100 }).optional(),
    }),
    success: { status: 200, schema: z.strictObject({ data: z.array(deploymentJob) }) },
    errors: [],
    idempotent: false,
  }),
} as const;
