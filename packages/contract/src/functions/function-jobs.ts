import * as z from "zod";
import {
  connectionId,
  functionName,
  functionType,
  integrationKey,
  jsonObject,
  timestamp,
  uuid,
  wholeNumber,
} from "../fields.ts";
import { defineRoute } from "../route.ts";

/** Source text sent to the server: compiled, run without a trace, or deployed. */

/** Limit of a compiler's time and memory; larger functions are deployed with the CLI. */
export const MAX_SENT_CODE = 256 * 1024;
const code = z
  .string()
  .min(1)
  .max(MAX_SENT_CODE)
  .meta({
    description: "TypeScript source of one function, up to 262,144 characters.",
    examples: [
      `import { createAction } from "jackfield";
import * as z from "zod";

export default createAction({
  description: "Greets",
  input: z.object({ name: z.string() }),
  output: z.string(),
  exec: async (svc, { name }) => "Hello, " + name,
});
`,
    ],
  });

const status = z.enum(["waiting", "running", "success", "failed"]).meta({
  id: "JobStatus",
  description: "`waiting` in the queue, `running`, `success`, or `failed`.",
});
const jobError = z.strictObject({
  code: z.string().describe("Error code, such as `compilation_error`."),
  message: z.string().describe("What happened, for people."),
  payload: z
    .unknown()
    .optional()
    .describe("What the function or the compiler added; any JSON value, absent if there is none."),
});

const created = z
  .strictObject({
    id: uuid.describe("Id of the job, by which its outcome is read."),
    status: status.describe("State of the job."),
    created_at: timestamp.describe("When it was queued."),
  })
  .meta({ id: "StartedJob", description: "A job that was queued." });
const createdDryRun = z
  .strictObject({
    id: uuid.describe("Id of the dry run, for `GET /functions/dryruns/{id}`."),
    created_at: timestamp.describe("When it was queued."),
  })
  .meta({ id: "StartedDryRun", description: "A dry run that was queued." });

const job = {
  id: uuid.describe("Id of the job."),
  status: status.describe("Its state."),
  integration_id: z.string().meta({ description: "Key of the integration.", examples: ["github"] }),
  created_at: timestamp.describe("When it was queued."),
  updated_at: timestamp.describe("When it last changed."),
  started_at: timestamp.optional().describe("When it began; absent before."),
  completed_at: timestamp.optional().describe("When it ended; absent before."),
  duration_ms: z
    .number()
    .int()
    .min(0)
    .optional()
    .describe("Milliseconds from its beginning to its end; absent before it ends."),
  output: z
    .string()
    .optional()
    .describe(
      "What the job has printed: lines of the function's log, or what was deployed. While a dry run runs, the last 50,000 characters of its lines so far, at most a second old. Absent when nothing was printed.",
    ),
  error: jobError.optional().describe("Why it failed; only with the status `failed`."),
};

const dryRun = z
  .strictObject({
    ...job,
    function_type: z
      .enum(["action", "sync"])
      .describe(
        "How it is run: as a sync or as an action. An on-event function is run like an action.",
      ),
    source_type: functionType.describe("What the source defines."),
    result: z
      .unknown()
      .optional()
      .describe(
        "What the run gave: an action's output, or what a sync would have saved; any JSON value. A sync that failed gives what it had saved until then. Absent before the end.",
      ),
  })
  .meta({
    id: "DryRun",
    description:
      "A dry run: a function's source was run for a connection, nothing was deployed and no record saved.",
  });

const deploymentJob = z
  .strictObject({
    ...job,
    function_name: z.string().describe("Name of the function."),
    function_type: functionType.describe("Type of the function."),
    deployed: z
      .boolean()
      .optional()
      .describe("Whether the function was deployed; absent before the job ends."),
    deployed_functions: z
      .array(
        z.strictObject({
          name: z.string().describe("Name of the function."),
          version: z.string().describe("Version that it now has."),
        }),
      )
      .optional()
      .describe("What was deployed; absent when nothing was."),
  })
  .meta({ id: "Deployment", description: "A deployment of one function from its source." });

const checkpoint = z.record(
  z.string().min(1).max(255),
  z.union([z.string().max(4000), z.number(), z.boolean()]),
);

const jobId = z.strictObject({ id: uuid.describe("Id of the job, as its creation answered it.") });

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
      schema: z
        .strictObject({
          bundle_size_bytes: z.number().int().describe("Size of the bundle in bytes."),
          bundled_js: z.string().describe("The bundle, as CommonJS."),
          compiled_at: timestamp.describe("When it was compiled."),
          duration_ms: z
            .number()
            .int()
            .describe("How long it took, without the time that it waited for a compiler."),
        })
        .meta({ id: "CompiledFunction" }),
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
    body: z
      .strictObject({
        integration_id: integrationKey.describe("Integration to run the function for."),
        connection_id: connectionId.describe(
          "Connection to run it for; the function calls the provider with its credentials.",
        ),
        code,
        function_type: functionType
          .optional()
          .describe("Type of the function. Default: read from the source."),
        input: z
          .unknown()
          .optional()
          .meta({
            description: "Input of an action, any JSON value.",
            examples: [{ email: "a@example.com" }],
          }),
        variant: functionName.optional().meta({
          description:
            "Variant that a sync reads as `svc.variant`. Default `base`, the sync itself.",
          examples: ["eu"],
        }),
        metadata: jsonObject
          .optional()
          .describe("Metadata that the function reads instead of the connection's."),
        checkpoint: checkpoint
          .optional()
          .describe(
            "Checkpoint that a sync continues from: up to 4,000 characters a text, numbers and booleans by name.",
          ),
        last_sync_date: timestamp
          .optional()
          .describe("When the sync's last successful run began, as the function reads it."),
      })
      .meta({ id: "NewDryRun" }),
    bodyLimit: "action",
    success: { status: 200, schema: createdDryRun },
    errors: ["integration_not_found", "connection_not_found"],
    idempotent: true,
  }),
  getDryRun: defineRoute({
    method: "GET",
    path: "/functions/dryruns/{id}",
    summary: "Read the state and the result of a dry run",
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
    body: z
      .strictObject({
        type: z.literal("function").describe("Always `function`."),
        integration_id: integrationKey.describe("Integration that the function belongs to."),
        function_name: functionName.describe(
          "Name of the function; one of that name is replaced unless it comes from a project.",
        ),
        function_type: functionType.describe("What the source defines."),
        code,
        version: z
          .string()
          .min(1)
          .max(255)
          .optional()
          .describe(
            "A version of your own naming, up to 255 characters. Default: a number that each change raises.",
          ),
        allow_destructive: z
          .boolean()
          .default(false)
          .describe(
            "`true` allows a deployment that removes a model together with its records. Otherwise it is refused.",
          ),
      })
      .meta({ id: "NewDeployment" }),
    success: { status: 202, schema: created },
    errors: ["integration_not_found", "invalid_request"],
    idempotent: true,
  }),
  getDeployment: defineRoute({
    method: "GET",
    path: "/functions/deployments/{id}",
    summary: "Read the state and the result of a deployment from source",
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
      page: wholeNumber({ min: 0, max: 1_000_000 })
        .optional()
        .describe("Number of the page, from 0."),
      limit: wholeNumber({ min: 1, max: 100 })
        .optional()
        .describe("Deployments on a page, 1 to 100. Default 20."),
    }),
    success: {
      status: 200,
      schema: z.strictObject({
        data: z.array(deploymentJob).describe("The page of deployments, newest first."),
      }),
    },
    errors: [],
    idempotent: false,
  }),
} as const;
