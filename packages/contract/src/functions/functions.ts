import * as z from "zod";
import { functionName, functionType, integrationKey, jsonObject, timestamp } from "../fields.ts";
import { defineRoute } from "../route.ts";
import { deploymentPlan, planQuery } from "./deployment-plan.ts";
import { revisionHeaders } from "./deployments/revision-headers.ts";
import { egressHosts } from "./egress/egress-hosts.ts";

/** Deployment of functions. */

const endpoint = z.strictObject({
  method: z
    .enum(["GET", "POST", "PUT", "PATCH", "DELETE"])
    .describe("HTTP method of the path under `/v1`."),
  path: z
    .string()
    .min(1)
    .max(1024)
    .meta({
      description: "Path under `/v1` that answers for the function.",
      examples: ["/contacts"],
    }),
  group: z
    .string()
    .max(255)
    .nullable()
    .optional()
    .describe("Name under which endpoints are grouped in documentation."),
});

/** A scheme of its own, and simple variables: `jackfield:` is the server's. */
export const RESOURCE_URI =
  /^(?!jackfield:|https?:|file:)[a-z][a-z0-9+.-]*:\/\/(?:[A-Za-z0-9._~/-]|\{[A-Za-z_][A-Za-z0-9_]*\})+$/;

export const agentHints = z
  .strictObject({
    effect: z
      .enum(["read", "write", "destructive"])
      .optional()
      .describe(
        "`read` changes nothing, `write` adds or changes, `destructive` may delete or overwrite; absent where the author does not say.",
      ),
    idempotent: z
      .boolean()
      .optional()
      .describe("Whether the same call twice does no more than once."),
    openWorld: z
      .boolean()
      .optional()
      .describe("Whether it reaches people or systems beyond the connected account."),
    sends: z
      .literal("external")
      .optional()
      .describe("`external`: what it is given leaves for people outside, such as a mail."),
    untrustedOutput: z
      .boolean()
      .optional()
      .describe(
        "Whether others than the end user may have written what it answers; absent: unless `openWorld` is false.",
      ),
    title: z.string().min(1).max(100).optional().describe("A name for people."),
    examples: z
      .array(z.unknown())
      .max(5)
      .optional()
      .describe("Inputs that show how to call it, at most 5."),
    expose: z
      .boolean()
      .optional()
      .describe("`false`: the action is no tool of language models. Default: true."),
    asks: z
      .boolean()
      .optional()
      .describe(
        "`true`: the action cannot do without asking its user, so that it is not called by a client that cannot show a form.",
      ),
    output: z
      .literal("content")
      .optional()
      .describe(
        "`content`: the output is a list of content blocks of the Model Context Protocol (text, image, audio, resource, resource link), which clients get as they are.",
      ),
    resource: z
      .strictObject({
        uri: z
          .string()
          .max(500)
          .regex(RESOURCE_URI)
          .describe(
            "Its address, such as `crm://contacts/{id}`. What is in braces is a field of the input.",
          ),
        mimeType: z.string().min(1).max(100).optional().describe("Media type of the output."),
      })
      .meta({ id: "AgentResource", description: "An address below which the output is read." })
      .optional()
      .describe(
        "The action is a resource, too, which clients list and read; it needs `effect: read`.",
      ),
  })
  .meta({ id: "AgentHints", description: "What the author says of an action as a tool." });

export type AgentHints = z.output<typeof agentHints>;

/** What a function may send where, and whether it sees credentials; in the same words for each type. */
const reach = {
  egress: egressHosts.optional().meta({
    description:
      "Hosts that it may send to, at most 50: names, `*.` before a name, each with or without a port; `{integration}` for those of its integration; `*` alone for any. Absent: any.",
    examples: [["{integration}", "*.s3.amazonaws.com"]],
  }),
  credentials: z
    .literal("proxy-only")
    .optional()
    .describe(
      "`proxy-only`: calls to the provider carry the credentials, and the function never sees them. Absent: it can read them.",
    ),
};

export const flowConfig = z
  .strictObject({
    type: z.enum(["sync", "action"]).describe("Type of the function."),
    syncName: functionName.describe("Name of the function, also of an action."),
    providerConfigKey: integrationKey.describe("Integration that it belongs to."),
    models: z
      .array(z.string().min(1).max(255))
      .describe(
        "Names of the models that a sync writes, or of an action's output schema, in `models_json_schema`.",
      ),
    runs: z
      .string()
      .max(255)
      .nullable()
      .describe("How often a sync runs, such as `every 5 minutes`; null for an action."),
    auto_start: z
      .boolean()
      .default(false)
      .describe("Whether a sync starts automatically for a new connection."),
    track_deletes: z
      .boolean()
      .default(false)
      .describe("Whether records that a full run did not save again are marked as deleted."),
    on_invalid_record: z
      .enum(["quarantine", "save", "fail"])
      .optional()
      .describe(
        "What its code does with records that do not match their schema, for plans to show. Absent: as the environment's settings say.",
      ),
    sync_type: z
      .enum(["incremental", "full"])
      .optional()
      .describe(
        "`full`: each run saves all records; `incremental`: a run saves what has changed since the last.",
      ),
    version: z
      .string()
      .max(255)
      .optional()
      .describe("A version of the author's naming. Default: a number that each change raises."),
    input: z
      .string()
      .max(255)
      .optional()
      .describe(
        "Name of the input schema (actions) or the metadata schema (syncs) in `models_json_schema`.",
      ),
    metadata: z
      .strictObject({
        description: z
          .string()
          .max(2000)
          .optional()
          .describe("What it does, up to 2,000 characters."),
        scopes: z.array(z.string()).optional().describe("OAuth scopes that it needs."),
      })
      .default({})
      .describe("What the author says about the function."),
    endpoints: z
      .array(endpoint)
      .default([])
      .describe("Deprecated paths under `/v1` that answer for it."),
    webhookSubscriptions: z
      .array(z.string().min(1).max(255))
      .default([])
      .describe("Types of the provider's webhooks that a sync handles; `*` for all."),
    agent: agentHints.optional().describe("What the author says of an action as a tool."),
    attributes: jsonObject
      .default({})
      .describe("Data that the author attaches to the function; it can read them."),
    models_json_schema: z
      .strictObject({
        definitions: z.record(z.string(), jsonObject).describe("The schemas by name."),
      })
      .optional()
      .describe("JSON Schema of input, output and models."),
    features: z
      .array(z.string())
      .default([])
      .describe("What the function uses, such as `checkpoints`."),
    ...reach,
    fileBody: z
      .strictObject({
        js: z.string().min(1).describe("The bundle, as CommonJS."),
        ts: z.string().describe("The author's TypeScript source."),
      })
      .describe("The function as text."),
    sourceMap: z
      .string()
      .optional()
      .describe("Source map of the bundle; with it, errors show positions in the author's files."),
  })
  .meta({
    id: "FlowConfig",
    description: "A compiled sync or action, as the command line sends it.",
  });

export type FlowConfig = z.output<typeof flowConfig>;

export const onEventScripts = z
  .strictObject({
    providerConfigKey: integrationKey.describe("Integration that they belong to."),
    scripts: z
      .array(
        z.strictObject({
          name: functionName.describe("Name of the function."),
          event: z
            .enum(["post-connection-creation", "pre-connection-deletion", "validate-connection"])
            .describe("What it reacts to."),
          ...reach,
          fileBody: z
            .strictObject({
              js: z.string().min(1).describe("The bundle, as CommonJS."),
              ts: z.string().describe("The author's TypeScript source."),
            })
            .describe("The function as text."),
          sourceMap: z
            .string()
            .optional()
            .describe(
              "Source map of the bundle; with it, errors show positions in the author's files.",
            ),
        }),
      )
      .describe("The functions."),
  })
  .meta({ id: "OnEventFunctions", description: "The on-event functions of one integration." });

export const deployment = z
  .strictObject({
    flowConfigs: z.array(flowConfig).describe("Its syncs and actions."),
    onEventScriptsByProvider: z
      .array(onEventScripts)
      .default([])
      .describe("Its on-event functions, by integration."),
    reconcile: z.boolean().meta({
      description:
        "Whether deployed functions that are not in this upload are removed, within `deployMode`.",
      examples: [false],
    }),
    debug: z.boolean().default(false).describe("Accepted, without effect."),
    deployMode: z
      .enum(["all", "single", "integration"])
      .default("all")
      .describe(
        "How far `reconcile` reaches: `all` of the environment, the integrations that are in the upload (`integration`), or nothing (`single`).",
      ),
    sdkVersion: z
      .string()
      .max(255)
      .optional()
      .describe("Version of the command line that compiled the functions."),
    source: z
      .enum(["repo", "standalone"])
      .default("repo")
      .describe(
        "`repo`: a project, whose functions are removed by its deployments only; `standalone`: individual functions.",
      ),
    svcYamlBody: z
      .string()
      .max(1_000_000)
      .optional()
      .describe("Accepted from older command lines; not evaluated."),
  })
  .meta({ id: "FunctionsUpload", description: "The functions of a project, compiled." });

export type Deployment = z.output<typeof deployment>;

export const deployedFunctions = z.array(
  z.strictObject({
    id: z
      .number()
      .int()
      .describe("Number of the function, unique in the installation; new versions keep it."),
    name: z.string().describe("Name of the function."),
    version: z.string().describe("Version that it now has."),
    providerConfigKey: z.string().describe("Key of its integration."),
    type: functionType.describe("Type of the function."),
    last_deployed: timestamp.describe(
      "When this version was deployed; earlier than this call where nothing changed.",
    ),
    input: z
      .string()
      .nullable()
      .describe(
        "Name of the input schema (actions) or the metadata schema (syncs); null without one.",
      ),
    models: z
      .array(z.string())
      .describe("Names of the models that a sync writes, or of an action's output schema."),
    runs: z.string().nullable().describe("How often a sync runs; null for others."),
  }),
);

export const functionRoutes = {
  deployFunctions: defineRoute({
    method: "POST",
    path: "/sync/deploy",
    summary: "Deploy functions, all or none of them",
    principals: ["environment"],
    scope: "environment:deploy",
    headers: revisionHeaders,
    body: deployment,
    bodyLimit: "deployment",
    success: { status: 200, schema: deployedFunctions },
    errors: [
      { code: "unknown_provider_config", status: 400 },
      "deploy_missing_json_schema_model",
      "concurrent_deployment",
      "canary_running",
    ],
    idempotent: true,
  }),
  planDeployment: defineRoute({
    method: "POST",
    path: "/sync/deploy/confirmation",
    summary: "What a deployment would add, change and remove",
    principals: ["environment"],
    scope: "environment:deploy",
    query: planQuery,
    body: deployment,
    bodyLimit: "deployment",
    success: { status: 200, schema: deploymentPlan },
    errors: [{ code: "unknown_provider_config", status: 400 }, "deploy_missing_json_schema_model"],
    idempotent: false,
  }),
} as const;
